"""A comparison of games, and a file of a game, that several tests of files share."""

# The example in the description of the format GGF, from the archives of the server GGS.
GGF = (
    "1 (;GM[Othello]PC[GGS/os]DT[2003.12.15 13:24:03 MST]PB[one]PW[two]RB[2197.01]RW[2199.72]TI[05:00//02:00]TY[8]"
    "RE[+4.00]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    "B[D3//0.01]W[C5/-1.2/3.5]B[f6];)\n"
)


def same(a, b):
    assert str(a.game) == str(b.game)
    assert (a.lengths == b.lengths).all()
    for i in range(len(a)):
        assert a.state(i) == b.state(i)
        assert a.starts[a.start[i]] == b.starts[b.start[i]]
        assert a.actions[i, : a.lengths[i]].tolist() == b.actions[i, : b.lengths[i]].tolist()
