// Made by x of 8000 readings; do not edit.
// swift-format-ignore-file

/// What engines took for what in rendered words; see ``ConfusionCosts`` and ``LineDoubt``.
enum LearntConfusions {
    /// Triples of what was read, what was meant, and ten times the cost; ∅ is no letter.
    static let costs = #"""
        ! l 6  $ 4 18  $ 5 18  $ 9 18  $ s 14  , . 9  , ∅ 7  - : 19  - ∅ 10  . - 26  . : 8  . ∅ 8
        0 9 44  0 c 53  0 d 35  0 e 49  0 fl 53  0 in 47  0 io 37  0 lo 47  0 n 32  0 o 5  0 ol 53  0 on 49
        0 oo 53  0 ou 42  0 q 47  0 t 53  0 u 37  00 o 33  01 o 20  0a d 18  1 f 41  1 i 10  1 il 52  1 io 52
        1 j 45  1 l 12  1 li 45  1 ll 45  1 ol 48  1 r 45  1 ri 52  1 t 38  10 i 23  11 i 28  11 l 28  15 i 23
        2 1 27  2 3 15  2 z 9  20 z 15  3 j 9  3 s 23  4 1 25  4 3 32  4 a 22  4 d 32  4 h 32  4 i 22
        4 u 25  5 1 45  5 6 49  5 9 49  5 e 42  5 ns 49  5 o 49  5 os 39  5 r 45  5 s 3  5 ss 38  5 t 49
        5 ti 49  50 s 26  54 s 14  55 s 36  6 0 18  6 5 37  6 8 20  6 b 37  6 e 24  6 g 33  6 le 37  6 n 37
        6 s 37  6 t 37  7 t 14  7 z 19  8 0 26  8 5 27  8 6 31  8 9 27  8 b 13  8 e 34  8 ll 38  8 r 21
        8 s 34  8 x 38  9 0 27  9 3 30  9 8 34  9 g 15  9 o 16  : . 29  : ∅ 3  < : 18  < c 14  ? 7 14
        ? ∅ 14  B 8 6  C e 23  C g 10  C ll 23  C o 23  E f 14  E ∅ 21  F r 13  F t 17  G 9 14  G i 21
        I 1 6  I j 24  K x 10  L ∅ 19  M h 19  M n 12  N x 11  O 0 6  O c 31  O d 15  O g 35  O ∅ 35
        P f 10  P r 21  Q g 21  Q o 8  Q ∅ 14  R b 18  R e 23  R n 23  R s 27  S 4 32  S 5 9  S 9 32
        S o 32  S ∅ 25  T 1 24  T i 10  T r 24  T z 24  U l 13  U v 13  a 8 40  a d 30  a e 33  a i 37
        a il 37  a it 44  a m 40  a n 33  a no 44  a o 15  a or 44  a ou 44  a s 35  a t 31  a u 21  a x 40
        ar o 24  a| o 29  b h 10  b i 30  b l 25  b o 34  b t 28  b th 30  b0 h 17  c e 27  c o 13  c r 23
        d l 17  d o 21  e a 25  e c 28  e i 35  e m 35  e n 39  e o 15  e p 39  e r 26  e t 29  e u 32
        e ∅ 32  en m 28  f l 12  f r 12  f t 24  h b 27  h k 23  h l 18  h li 27  h n 11  i 1 50  i e 40
        i j 50  i l 4  i m 43  i n 43  i t 27  i u 46  i ∅ 33  j l 10  k i 16  k l 12  k s 27  k t 27
        k x 27  l f 23  l i 4  l t 25  m e 45  m er 49  m in 35  m io 49  m le 49  m n 8  m na 49  m nc 49
        m nt 38  m on 45  m r 34  m re 45  m ri 49  m rn 17  m rt 49  m t 42  m ti 49  m tt 49  m u 45  m un 45
        m ut 49  m w 49  m ∅ 49  n a 37  n b 37  n e 37  n m 17  n o 30  n r 19  n ri 33  n s 37  n t 30
        n ∅ 28  ni m 28  o a 13  o c 29  o e 22  o n 29  o u 18  p n 18  p o 22  r c 35  r i 31  r m 31
        r n 18  r t 20  r z 35  r ∅ 26  ra m 23  rn m 10  s a 22  s d 33  s e 22  s i 33  s m 26  s n 22
        s r 26  s t 26  s v 33  s x 21  s ∅ 33  t b 42  t c 46  t d 37  t f 20  t i 31  t l 6  t li 46
        t ll 39  t r 26  ti l 31  u a 14  u i 21  v e 33  v i 33  v n 33  v o 37  v r 31  v u 14  v w 25
        v y 24  v ∅ 37  w a 28  w i 28  w m 28  w o 28  w u 15  x u 9  y j 25  y v 7  | : 41  | i 14
        | il 37  | j 32  | l 8  | li 41  | ll 41  | nl 41  |1 l 13  ~ - 7  ∅ - 15  ∅ . 17  ∅ 0 27  ∅ 1 22
        ∅ 8 19  ∅ : 4  ∅ a 35  ∅ b 34  ∅ c 27  ∅ d 40  ∅ e 30  ∅ f 13  ∅ h 29  ∅ i 6  ∅ j 13  ∅ l 9
        ∅ n 25  ∅ o 32  ∅ p 40  ∅ r 24  ∅ s 28  ∅ t 21  ∅ u 29  ∅ v 32  ∅ w 20  ∅ x 21  ∅ y 34
        """#

    /// By confidence, how probable it is that a character is right.
    static let accuracy: [ReadingSource: [(Double, Double)]] = [
        .neuralFast: [(0.2466, 0.3874), (0.3775, 0.4268), (0.4772, 0.5377), (0.5497, 0.6318), (0.6071, 0.6694), (0.6314, 0.7185), (0.6727, 0.7429), (0.7121, 0.7890), (0.7437, 0.8378), (0.8013, 0.8776), (0.8836, 0.9118), (0.9437, 0.9436), (0.9742, 0.9649), (0.9981, 0.9958)],
        .tesseract: [(0.4104, 0.3742), (0.4292, 0.4073), (0.4447, 0.4801), (0.4568, 0.5464), (0.4662, 0.5993), (0.4774, 0.7060), (0.4882, 0.8289), (0.5480, 0.8588), (0.6635, 0.8908), (0.7332, 0.9165), (0.8039, 0.9430), (0.8591, 0.9559), (0.8941, 0.9712), (0.9522, 0.9973)],
    ]
}

