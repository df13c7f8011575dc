"""Datasets: the same call continues an unfinished dataset, and a part is never written incompletely."""

import numpy as np
import pytest

from othello_env import play_match
from othello_env.data import (
    Dataset,
    GamesError,
    exact_labels,
    exact_scores,
    match_games,
    random_games,
    read_games,
    write_games,
)
from othello_env.data.labels import agent_labels


def make(folder, count, part=10, recipe=None, made=None):
    def games(first, number):
        if made is not None:
            made.append((first, number))
        return random_games(number, size=4, seed=1, first=first)

    return Dataset.make(folder, recipe or {"seed": 1}, count, part, games)


def rows(dataset):
    return [
        tuple(row[:length]) for part in dataset for row, length in zip(part.actions.tolist(), part.lengths, strict=True)
    ]


def test_a_dataset_has_all_games_in_order(tmp_path):
    dataset = make(tmp_path / "d", 25)
    games = random_games(25, size=4, seed=1)
    assert rows(dataset) == [tuple(row[:n]) for row, n in zip(games.actions.tolist(), games.lengths, strict=True)]
    assert (len(dataset), dataset.count, len(list(dataset))) == (25, 25, 3)
    assert vars(dataset.statistics()) == pytest.approx(vars(games.statistics()))


def test_a_dataset_is_no_file_of_games(tmp_path):
    make(tmp_path, 1)
    with pytest.raises(OSError, match=r"is a dataset; use Dataset\('"):
        read_games(tmp_path)


def test_a_dataset_grows(tmp_path):
    make(tmp_path, 15)
    made = []
    dataset = make(tmp_path, 40, made=made)
    assert made == [(10, 10), (20, 10), (30, 10)]  # the second part had 5 games, so it is made again
    assert rows(dataset) == rows(make(tmp_path / "new", 40))
    made.clear()
    make(tmp_path, 40, made=made)
    assert made == []


def missing(path):
    path.unlink()


def truncated(path):
    path.write_bytes(path.read_bytes()[:-30])


def empty(path):
    path.write_bytes(b"")


def changed(path):
    """One bit of the actions is another: only the checksum tells."""
    data = bytearray(path.read_bytes())
    data[data.index(b"actions.npy") + 200] ^= 1
    path.write_bytes(data)


def short(path):
    write_games(path, random_games(9, size=4))


DAMAGE = [
    *(([part], [damage]) for damage in (truncated, empty, changed, short) for part in (0, 1, 2)),
    ([0], [missing]),
    ([1], [missing]),
    ([0, 1], [missing, truncated]),
    ([0, 2], [truncated, missing]),
    ([1, 2], [missing, empty]),
    ([0, 1, 2], [missing, changed, short]),
]


@pytest.mark.parametrize(("parts", "damage"), DAMAGE)
def test_a_damaged_part_is_named_by_every_reader_and_made_again(tmp_path, parts, damage):
    """The fourth part is sound. None of it is read as if it followed the part before the damage."""
    whole = rows(make(tmp_path, 35))
    for part, how in zip(parts, damage, strict=True):
        how(tmp_path / f"games-{part:06d}.npz")
    dataset = Dataset(tmp_path)
    repr(dataset)
    for read in (lambda: list(dataset), dataset.statistics, lambda: list(dataset.parts(skip=True))):
        with pytest.raises(GamesError, match=rf"games-00000{parts[0]}\.npz"):
            read()
    if damage != [changed]:
        with pytest.raises(GamesError, match=rf"games-00000{parts[0]}\.npz .*; the command that made the dataset"):
            len(dataset)
    made = []
    assert rows(make(tmp_path, 35, made=made)) == whole
    assert made == [(10 * part, 10) for part in parts]


def test_a_dataset_that_is_not_finished_is_read_as_far_as_it_goes(tmp_path):
    whole = rows(make(tmp_path, 35))
    for part in (3, 2):
        (tmp_path / f"games-{part:06d}.npz").unlink()
        assert rows(Dataset(tmp_path)) == whole[: 10 * part]
        assert len(Dataset(tmp_path)) == 10 * part


def test_only_one_process_makes_a_dataset(tmp_path):
    def games(first, number):
        with pytest.raises(ValueError, match="another process is making the dataset"):
            make(tmp_path, 10)
        return random_games(number, size=4)

    Dataset.make(tmp_path, {"a": (1, 2)}, 10, 10, games)
    Dataset.make(tmp_path, {"a": (1, 2)}, 10, 10, games)
    assert Dataset(tmp_path).recipe == {"a": [1, 2]}


def test_another_dataset_is_not_overwritten(tmp_path):
    make(tmp_path, 20)
    for count, part, recipe, message in (
        (20, 10, {"seed": 2, "b": None}, r"in parts of 10 games; expected: seed 2, in parts of 10 games$"),
        (20, 5, None, "holds another dataset: .*, in parts of 10 games; expected: .*, in parts of 5 games$"),
        (10, 10, None, "was begun for 20 games, more than 10"),
    ):
        with pytest.raises(ValueError, match=message):
            make(tmp_path, count, part, recipe)
    assert len(Dataset(tmp_path)) == 20


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"format": "othello-env dataset 1", "recipe": {}, "games": -1, "part": 1}']
)
def test_a_damaged_description(tmp_path, text):
    (tmp_path / "dataset.json").write_text(text)
    with pytest.raises(GamesError, match="is not the description of a dataset"):
        Dataset(tmp_path)
    with pytest.raises(FileNotFoundError):
        Dataset(tmp_path / "nowhere")


def test_games_of_a_match_are_those_of_play_match():
    result = play_match("alphabeta:depth=2", "maximizer:epsilon=0.2", games=8, seed=4)
    games = match_games("alphabeta:depth=2", "maximizer:epsilon=0.2", 4, seed=4, first=4)
    assert [games.state(i) for i in range(4)] == [record.replay() for record in result.records[4:]]
    assert len(match_games("random", count=0)) == 0


def test_exact_labels_are_the_scores_of_minimax(twin):
    games = random_games(6, size=4, seed=2)
    labels = exact_labels(games, 4)
    chosen = []
    for i in range(6):
        for ply in range(games.lengths[i]):
            slow = twin.from_state(games.state(i, ply))
            if slow.count(None) <= 4:
                row = labels.values[len(chosen)]
                chosen.append((i, ply))
                assert {a: row[a] for a in np.flatnonzero(~np.isnan(row)).tolist()} == slow.values()
    assert list(zip(labels.game.tolist(), labels.ply.tolist(), strict=True)) == chosen
    more = random_games(300, size=4, seed=2)
    np.testing.assert_array_equal(exact_labels(more, 6, workers=2).values, exact_labels(more, 6).values)
    assert len(exact_labels(games, 0)) == 0


def test_labels_of_an_agent():
    games = random_games(2, size=6, seed=2)
    labels = agent_labels(games, "alphabeta:depth=2")
    assert len(labels) == games.lengths.sum()
    for k in (0, 20, 40):
        state = games.state(int(labels.game[k]), int(labels.ply[k]))
        assert np.flatnonzero(~np.isnan(labels.values[k])).tolist() == list(state.legal_actions())


def first_legal(observations, masks):
    return np.argmax(masks, axis=1)


def test_a_function_has_its_own_name_in_the_columns():
    games = match_games(first_legal, "random", 4, seed=2)
    assert games.columns["black"].tolist() == ["first_legal", "random"] * 2
    assert games.columns["white"].tolist() == ["random", "first_legal"] * 2
    match = play_match(first_legal, "random", games=4, seed=2)
    assert [games.state(i) for i in range(4)] == [record.replay() for record in match.records]
    assert match_games(first_legal, first_legal, 2).columns["black"].tolist() == ["first", "second"]
    assert match_games("random", count=2).columns["black"].tolist() == ["first", "second"]


def test_a_count_of_positions_is_a_sample_of_all_and_given_positions_get_the_same_scores():
    games = match_games("random", count=20, seed=6)
    every = exact_labels(games, 6)
    some = exact_labels(games, 6, count=15, seed=1)
    scores = {(g, p): row.tobytes() for g, p, row in zip(every.game, every.ply, every.values, strict=True)}
    chosen = list(zip(some.game.tolist(), some.ply.tolist(), strict=True))
    assert len(chosen) == len(set(chosen)) == 15
    assert chosen == sorted(chosen)
    assert all(scores[place] == row.tobytes() for place, row in zip(chosen, some.values, strict=True))
    np.testing.assert_array_equal(exact_labels(games, 6, count=15, seed=1).ply, some.ply)
    others = exact_labels(games, 6, count=15, seed=2)
    assert chosen != list(zip(others.game.tolist(), others.ply.tolist(), strict=True))
    assert len(exact_labels(games, 6, count=10**6)) == len(every)
    positions = [games.state(game, ply) for game, ply in chosen][::-1]
    np.testing.assert_array_equal(exact_scores(positions), some.values[::-1])
    assert exact_scores([]).shape == (0, 65)
