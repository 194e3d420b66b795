// Made by scripts/learn confusions of 21000 readings; do not edit.
// swift-format-ignore-file

/// The engines' mistakes in rendered words; see ``ConfusionCosts`` and ``LineDoubt``.
enum LearntConfusions {
    /// Triples of the letters read, the letters meant, and ten times the cost; ∅ is no letter.
    static let costs = #"""
        ! 1 21  ! l 7  $ 4 21  $ 5 14  $ 9 17  $ s 14  ) j 13  , . 8  , ∅ 8  - : 17  - ∅ 7  . - 21
        . : 12  . l 44  . s 41  . ∅ 9  .0 o 21  / i 14  / r 19  / u 17  0 3 51  0 6 51  0 8 42  0 9 44
        0 d 32  0 e 38  0 i 48  0 il 55  0 in 55  0 io 40  0 jo 55  0 lo 44  0 n 34  0 o 6  0 on 55  0 ou 40
        0 q 42  0 r 51  0 ro 55  0 to 55  0 u 36  0 uo 55  00 o 29  00 u 33  01 d 20  01 o 20  1 3 46  1 4 53
        1 7 53  1 9 53  1 f 44  1 i 13  1 il 53  1 in 46  1 it 49  1 j 44  1 l 11  1 li 49  1 ll 46  1 ol 53
        1 r 44  1 s 53  1 t 31  1 ∅ 53  1. l 20  10 i 30  11 i 34  11 l 34  2 1 28  2 3 21  2 7 31  2 8 29
        2 : 40  2 j 36  2 l 40  2 t 31  2 u 36  2 z 15  20 z 26  3 1 22  3 2 33  3 5 33  3 8 33  3 9 26
        3 : 33  3 j 14  3 s 24  3 ∅ 33  4 1 26  4 3 31  4 9 35  4 a 18  4 d 31  4 e 35  4 h 35  4 m 31
        4 t 35  4 u 28  42 z 11  5 1 45  5 3 42  5 6 32  5 8 42  5 9 45  5 d 49  5 e 45  5 h 49  5 l 49
        5 n 49  5 o 49  5 rs 45  5 s 5  5 sh 49  5 si 49  5 ss 49  5 ∅ 42  55 s 32  6 0 14  6 5 31  6 8 19
        6 b 29  6 e 29  6 g 28  6 i 42  6 il 42  6 n 38  6 s 38  6 t 42  6 ti 38  6 u 42  7 1 29  7 2 29
        7 : 29  7 f 29  7 r 18  7 t 22  8 0 21  8 4 40  8 5 35  8 6 33  8 9 27  8 a 40  8 b 11  8 in 44
        8 ll 44  8 m 40  8 nt 44  8 r 25  8 s 37  8 t 44  9 0 17  9 3 34  9 6 38  9 8 27  9 e 38  9 g 24
        9 n 38  9 o 28  9 ou 38  9 p 38  9 q 38  9 r 34  9 s 25  9 u 38  : . 29  : ∅ 3  ; : 7  < c 20
        < r 20  = - 9  > - 16  > x 16  ? 7 10  ? ∅ 17  A 4 30  A l 23  A r 30  A u 26  A x 23  B 8 9
        B fl 27  B i 23  C e 27  C g 16  C o 18  C ou 27  C u 31  C ∅ 31  D o 6  E 6 30  E b 30  E d 30
        E f 21  E i 18  E k 26  E l 30  E x 30  E ∅ 30  F 7 20  F e 20  F p 20  F r 16  F t 20  G 0 29
        G 6 16  G 9 22  G d 29  G i 29  G o 22  G s 29  G ti 29  H n 21  I 1 9  I 3 32  I e 28  I j 25
        I l 32  I n 32  I r 32  I ∅ 28  J i 10  J l 15  K x 8  L 1 24  L e 28  L i 21  L u 17  L x 28
        L ∅ 24  M h 24  M in 24  M n 15  M ut 24  N h 21  N m 12  N w 25  N x 21  O 0 6  O 9 40  O c 31
        O d 17  O g 33  O q 40  O ∅ 29  P e 23  P f 9  P fl 30  P r 23  Q g 24  Q o 9  Q ∅ 15  R b 19
        R e 18  R h 29  R i 33  R k 29  R n 26  R s 33  R t 33  R x 33  R ∅ 33  S 4 39  S 5 9  S 8 34
        S 9 28  S b 32  S il 39  S o 34  S ∅ 29  T 1 29  T 7 25  T i 9  T r 25  T z 29  U l 10  U v 19
        V u 21  V w 21  V y 10  W v 8  Y v 11  Z 2 11  _ ∅ 5  a 3 52  a 8 48  a d 38  a e 29  a ft 52
        a i 30  a il 52  a in 52  a it 48  a l 48  a li 48  a m 37  a n 27  a no 52  a o 16  a or 52  a ou 48
        a p 45  a r 48  a ro 52  a s 33  a t 33  a tr 52  a u 21  a w 52  a x 38  a z 52  a zi 52  a ∅ 41
        as n 26  at e 36  b /h 40  b d 36  b h 14  b it 40  b l 26  b li 40  b n 26  b o 36  b t 27  b th 40
        b tu 40  c e 19  c n 35  c o 12  c r 18  c s 39  c t 28  c ∅ 39  ci d 27  d b 32  d c 32  d i 32
        d il 23  d l 23  d o 28  d t 28  d tl 28  e 0 37  e a 24  e bl 48  e c 25  e i 37  e in 44  e ir 48
        e m 37  e n 25  e nt 48  e o 18  e p 44  e r 31  e si 48  e t 30  e u 33  e v 48  e w 37  e x 41
        e ∅ 34  en m 30  f h 39  f l 7  f le 39  f ll 28  f r 18  f t 26  f ∅ 35  g a 25  g d 25  g j 29
        g o 20  g p 25  g q 23  g s 29  g u 29  g xp 29  h b 17  h fr 37  h i 37  h k 33  h l 19  h li 26
        h lu 37  h n 19  i 1 57  i a 48  i cl 57  i e 48  i f 57  i j 53  i l 4  i ll 53  i m 46  i n 46
        i r 53  i t 32  i u 42  i x 57  i ∅ 30  in m 29  io l 30  it l 31  j i 16  j l 13  k d 37  k e 37
        k h 33  k i 22  k l 15  k le 33  k li 37  k lo 37  k lu 37  k o 37  k s 37  k t 26  k x 33  l 1 42
        l d 42  l f 27  l h 35  l i 6  l t 19  l ∅ 38  la i 28  m a 50  m av 57  m e 39  m en 50  m er 46
        m i 42  m in 40  m io 57  m ir 50  m it 57  m l 57  m n 11  m ne 53  m ng 57  m nl 53  m nn 50  m ns 53
        m nt 40  m o 50  m r 29  m re 41  m ri 53  m rn 13  m rs 57  m st 57  m t 40  m te 57  m tr 57  m tt 53
        m u 48  m ur 53  m ut 57  m w 46  m ∅ 57  n a 38  n b 43  n d 47  n e 32  n h 38  n i 43  n ir 47
        n m 16  n o 33  n ou 47  n r 19  n ri 24  n rt 43  n rv 43  n s 43  n t 33  n tt 43  n u 35  n ∅ 33
        ni m 30  o 9 43  o a 11  o c 39  o e 20  o i 39  o kx 43  o n 23  o r 43  o t 39  o ti 43  o u 25
        o ∅ 39  p n 18  p o 21  p qu 28  p s 32  p u 32  q g 16  q o 16  r c 38  r e 30  r f 41  r i 23
        r in 38  r l 45  r m 32  r n 15  r nt 32  r t 18  r te 45  r x 38  r z 41  r ∅ 31  ra m 31  ri m 28
        rn m 12  s a 29  s d 44  s e 25  s i 33  s m 26  s n 25  s nt 37  s o 40  s r 30  s t 22  s u 37
        s v 44  s x 17  s ∅ 37  t b 34  t c 44  t d 37  t e 53  t f 20  t fl 53  t h 42  t i 30  t il 49
        t l 8  t li 49  t ll 40  t n 53  t r 27  t u 46  t ul 53  t x 49  t ∅ 42  ti l 33  u a 15  u d 35
        u i 23  u in 35  u n 31  u o 24  u tl 35  v / 42  v e 26  v i 42  v ir 46  v l 42  v ly 46  v n 28
        v o 37  v or 46  v r 18  v re 46  v s 39  v te 46  v tr 46  v u 22  v ui 46  v w 24  v x 32  v xr 46
        v y 31  v ∅ 35  v1 u 14  w a 27  w e 30  w i 34  w m 34  w o 34  w r 34  w s 30  w u 19  w v 21
        w ve 34  w x 30  x u 15  y j 28  y s 32  y v 8  y w 28  y ∅ 28  | : 28  | i 18  | j 35  | l 9
        | lc 35  | t 35  |0 j 15  ~ - 5  ∅ - 9  ∅ . 8  ∅ / 1  ∅ 0 27  ∅ 1 29  ∅ 3 28  ∅ 8 28  ∅ 9 38
        ∅ : 1  ∅ a 33  ∅ b 36  ∅ c 27  ∅ d 32  ∅ e 27  ∅ f 13  ∅ g 44  ∅ h 22  ∅ i 5  ∅ j 9  ∅ k 30
        ∅ l 7  ∅ m 31  ∅ n 22  ∅ o 30  ∅ p 47  ∅ r 17  ∅ s 29  ∅ t 14  ∅ u 26  ∅ v 22  ∅ w 27  ∅ x 21
        ∅ y 40  ∅ z 23
        """#

    /// The probability that a character is right, by its confidence.
    static let accuracy: [ReadingSource: [(Double, Double)]] = [
        .neuralFast: [(0.2291, 0.2748), (0.3044, 0.3344), (0.3479, 0.4272), (0.4203, 0.5033), (0.4883, 0.5664), (0.5181, 0.6429), (0.5649, 0.6691), (0.6314, 0.7442), (0.7045, 0.8006), (0.7496, 0.8592), (0.7678, 0.8991), (0.8299, 0.9337), (0.9343, 0.9595), (0.9976, 0.9973)],
        .neuralAccurate: [(0.2153, 0.3013), (0.2861, 0.4007), (0.3296, 0.4338), (0.3953, 0.5244), (0.4851, 0.5692), (0.5526, 0.6086), (0.5899, 0.6761), (0.6435, 0.7024), (0.7098, 0.7463), (0.7453, 0.8113), (0.7654, 0.8503), (0.8316, 0.8854), (0.9176, 0.9332), (0.9980, 0.9979)],
        .tesseract: [(0.4041, 0.3344), (0.4269, 0.4037), (0.4466, 0.4734), (0.4622, 0.6030), (0.4708, 0.6656), (0.4759, 0.6987), (0.4804, 0.7318), (0.4843, 0.7715), (0.5446, 0.8620), (0.6657, 0.8906), (0.7357, 0.9129), (0.8021, 0.9432), (0.8777, 0.9655), (0.9525, 0.9978)],
    ]
}
