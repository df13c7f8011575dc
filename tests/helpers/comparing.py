"""A comparison of games that several tests of files share."""


def same(a, b):
    assert str(a.game) == str(b.game)
    assert (a.lengths == b.lengths).all()
    for i in range(len(a)):
        assert a.state(i) == b.state(i)
        assert a.starts[a.start[i]] == b.starts[b.start[i]]
        assert a.actions[i, : a.lengths[i]].tolist() == b.actions[i, : b.lengths[i]].tolist()
