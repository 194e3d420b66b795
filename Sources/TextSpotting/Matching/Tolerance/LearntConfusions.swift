// Made by scripts/learn-confusions of 14000 readings; do not edit.
// swift-format-ignore-file

/// What engines took for what in rendered words; see ``ConfusionCosts`` and ``LineDoubt``.
enum LearntConfusions {
    /// Triples of what was read, what was meant, and ten times the cost; ∅ is no letter.
    static let costs = #"""
        ! 1 21  ! l 7  $ 4 21  $ 5 14  $ 9 17  $ s 14  , . 10  , ∅ 7  - : 16  - ∅ 9  . - 27  . : 8
        . s 45  . ∅ 9  0 3 58  0 6 58  0 8 51  0 9 49  0 c 58  0 d 34  0 e 44  0 fl 58  0 g 58  0 i 58
        0 id 58  0 in 49  0 io 39  0 l 58  0 lo 51  0 n 32  0 ni 58  0 o 5  0 ol 58  0 on 54  0 oo 54  0 or 58
        0 ou 44  0 q 46  0 r 51  0 so 54  0 t 58  0 u 39  0 zo 51  0 ∅ 54  00 o 33  01 d 27  01 o 18  05 o 31
        0a d 20  1 7 57  1 f 44  1 fl 57  1 h 57  1 i 9  1 il 53  1 in 53  1 io 57  1 j 46  1 l 12  1 li 48
        1 ll 43  1 n 57  1 ol 50  1 r 48  1 ri 57  1 si 57  1 t 35  1 xi 57  10 i 26  11 i 27  11 l 30  12 i 15
        15 i 18  2 1 27  2 3 16  2 z 8  20 z 17  3 1 22  3 9 29  3 : 29  3 i 29  3 j 10  3 s 22  4 1 27
        4 3 30  4 a 21  4 d 34  4 h 34  4 i 25  4 t 34  4 u 25  5 1 49  5 3 53  5 6 44  5 8 53  5 9 49
        5 e 46  5 is 46  5 ns 53  5 o 49  5 os 42  5 ps 53  5 r 46  5 s 3  5 ss 39  5 t 49  5 ti 53  5 ∅ 53
        50 s 27  54 s 18  55 s 36  6 0 14  6 5 30  6 8 22  6 b 34  6 e 22  6 g 32  6 i 41  6 it 41  6 le 41
        6 n 37  6 o 37  6 s 41  6 t 41  7 1 26  7 t 16  7 z 19  8 0 24  8 4 42  8 5 31  8 6 31  8 9 27
        8 b 12  8 e 33  8 h 42  8 ll 42  8 r 22  8 s 38  8 x 42  9 0 21  9 3 31  9 8 29  9 a 31  9 g 15
        9 o 18  : . 32  : ∅ 2  ; : 7  < : 21  < c 12  < ct 21  = - 8  ? 7 10  ? ∅ 17  A 4 25  A u 25
        A x 21  B 8 6  C e 19  C g 10  C l 26  C ll 26  C o 26  D o 19  E 6 26  E f 19  E k 26  E l 26
        E ∅ 26  F 7 19  F r 15  F t 19  G 0 27  G 6 16  G 9 20  G d 27  G i 27  G o 23  G s 27  I 1 6
        I 3 26  I j 22  J i 13  J l 13  K x 6  L 1 23  L ∅ 19  M h 22  M n 11  N x 11  O 0 5  O 9 38
        O c 34  O d 17  O g 38  O ∅ 27  P e 25  P f 7  P r 25  Q g 23  Q o 9  Q ∅ 13  R b 19  R e 18
        R h 32  R i 32  R k 28  R n 28  R s 32  R x 32  R ∅ 32  S 4 36  S 5 8  S 8 36  S 9 29  S b 36
        S o 32  S ∅ 27  T 1 29  T 7 29  T i 8  T r 25  T z 29  U l 12  U v 16  V y 11  W v 14  Y v 14
        [ j 7  _ ∅ 5  a 8 44  a d 31  a e 28  a i 35  a il 41  a it 48  a m 41  a n 30  a no 48  a o 16
        a or 48  a ou 48  a p 48  a s 37  a t 34  a u 21  a x 41  a z 48  ar o 28  at e 32  a| o 33  b h 10
        b i 34  b l 27  b n 31  b o 38  b t 29  b th 34  b ti 38  b0 h 19  c e 19  c o 14  c r 26  c s 30
        d b 27  d i 27  d l 20  d o 27  e 0 43  e a 25  e c 21  e i 36  e ic 43  e m 36  e n 39  e o 16
        e p 39  e r 29  e t 32  e u 29  e w 39  e x 39  e ∅ 34  en m 24  f l 12  f r 13  f t 23  f ∅ 28
        g a 24  g d 24  g o 24  g q 20  g s 24  h b 19  h k 29  h l 18  h li 24  h n 16  i 1 54  i a 50
        i e 45  i f 54  i j 50  i l 4  i ll 54  i m 47  i n 45  i t 30  i u 42  i ∅ 30  in m 27  io l 26
        j l 11  k i 17  k ic 33  k l 14  k li 33  k s 29  k t 29  k x 29  l f 27  l i 5  l t 23  l ∅ 32
        m an 54  m e 45  m er 50  m i 54  m in 34  m io 54  m ir 54  m le 54  m n 8  m na 54  m nc 54  m ni 54
        m nn 47  m nt 35  m on 50  m r 35  m re 47  m ri 47  m rn 17  m rs 54  m rt 54  m t 43  m ti 54  m tt 54
        m u 50  m un 47  m ut 50  m w 54  m ∅ 50  m5 n 18  n a 35  n b 42  n e 35  n h 38  n i 35  n m 18
        n o 33  n r 20  n ri 30  n s 42  n t 33  n tt 42  n u 35  n ∅ 31  ni m 27  o 9 34  o a 14  o c 27
        o e 18  o n 27  o u 23  p n 22  p o 26  p s 26  q a 17  q g 17  r c 33  r e 40  r i 26  r m 31
        r n 17  r t 17  r x 33  r z 36  r ∅ 29  ra m 25  ri m 25  rn m 8  s a 25  s d 37  s e 24  s i 33
        s m 24  s n 27  s o 33  s r 31  s t 24  s v 37  s x 21  s ∅ 37  t b 41  t c 41  t d 35  t f 21
        t fl 50  t h 43  t i 30  t l 7  t li 43  t ll 39  t r 25  t ∅ 46  ti l 31  u a 15  u i 15  v / 37
        v e 37  v i 37  v ly 41  v n 37  v o 41  v r 27  v ry 41  v u 13  v w 23  v y 25  v ∅ 34  w a 27
        w i 31  w iv 31  w m 31  w o 31  w s 31  w u 16  w v 27  w vv 31  w x 31  x u 11  y j 27  y s 31
        y v 7  y ∅ 27  | : 38  | el 45  | i 13  | il 41  | ir 45  | j 32  | l 8  | li 41  | ll 41  | nl 45
        | ul 45  |1 l 13  ~ - 6  ∅ - 12  ∅ . 17  ∅ / 3  ∅ 0 23  ∅ 1 25  ∅ 3 29  ∅ 7 36  ∅ 8 22  ∅ 9 36
        ∅ : 5  ∅ a 38  ∅ b 39  ∅ c 27  ∅ d 38  ∅ e 31  ∅ f 13  ∅ h 32  ∅ i 7  ∅ j 12  ∅ l 9  ∅ m 47
        ∅ n 25  ∅ o 30  ∅ p 45  ∅ r 24  ∅ s 31  ∅ t 20  ∅ u 27  ∅ v 28  ∅ w 23  ∅ x 19  ∅ y 31
        """#

    /// By confidence, how probable it is that a character is right.
    static let accuracy: [ReadingSource: [(Double, Double)]] = [
        .neuralFast: [(0.2286, 0.3609), (0.3367, 0.4290), (0.4215, 0.5111), (0.4841, 0.5582), (0.5507, 0.6432), (0.6079, 0.6951), (0.6368, 0.7239), (0.6664, 0.7483), (0.6990, 0.7783), (0.7395, 0.8283), (0.7982, 0.8904), (0.8796, 0.9173), (0.9594, 0.9579), (0.9981, 0.9964)],
        .tesseract: [(0.4041, 0.3344), (0.4269, 0.4037), (0.4466, 0.4734), (0.4622, 0.6030), (0.4708, 0.6656), (0.4759, 0.6987), (0.4804, 0.7318), (0.4843, 0.7715), (0.5446, 0.8620), (0.6657, 0.8906), (0.7357, 0.9129), (0.8021, 0.9432), (0.8777, 0.9655), (0.9525, 0.9978)],
    ]
}

