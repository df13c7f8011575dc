"""What the games refuse: a table of calls, errors and words of their messages for each game."""

import numpy as np
import pytest

from othello_env import Checkers, IllegalActionError, NotationError, Othello, Tribolo
from othello_env.envs import GameVectorEnv
from othello_env.games.checkers import pdn
from othello_env.games.checkers.pdn import PdnGame
from othello_env.games.openings import Openings
from othello_env.games.othello import notation, symmetries
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.registry import GameSpec

pytestmark = pytest.mark.nojit

WIPE_OUT = "e6f4e3f6g5d6e7f5c5"
NINES, EMPTY = "9" * 5000, "-" * 64


def openings(spec):
    return lambda: Openings(spec, lambda key: Othello())


def moves(transcript):
    return lambda: Othello.from_moves(transcript)


def square(text, size=8):
    return lambda: notation.square_from_text(text, size)


def fen(text, **more):
    return lambda: Checkers.from_text(text, **more)


def games(text, **more):
    return lambda: pdn.loads(text, **more)


NO_OPENINGS = "openings must be None, .random:PLIES., transcripts or States, not "
STARTS = [
    ({"width": 27}, "1 to 26 wide"),
    ({"height": 0}, "at least 1 high"),
    ({"cells": 0}, "at least 1 cell"),
    ({"walls": -1}, "at least 0 walls"),
    ({"width": 4, "height": 4, "cells": 4, "walls": 4}, "leave no empty cell"),
    ({"width": 2, "height": 2, "cells": 1, "walls": 0}, "nobody could move"),
]
ROWS = [
    # texts of games
    *(
        (lambda text=text: GameSpec.parse(text), ValueError, words)
        for text, words in (
            ("chess", "expected one of the games checkers, .*othello, .*tribolo, got 'chess'"),
            ("othello:size=5", "size must be one of 4, 6, 8, not 5"),
            ("othello:seed=1", "othello has no option seed; it takes size"),
            ("othello:size=4,size=6", "gives size twice"),
            ("checkers:draws=never", "draws must be one of"),
        )
    ),
    # openings
    *((openings(spec), ValueError, NO_OPENINGS) for spec in ("random", "random:", "random:-1", "random:1.5", "f5d6")),
    *((openings(spec), ValueError, NO_OPENINGS) for spec in (10, Othello(), {"f5"})),
    (openings([]), ValueError, "openings is empty"),
    (openings(["f5a1"]), IllegalActionError, "opening 'f5a1': ply 2: a1"),
    (openings(["f5zz"]), NotationError, "opening 'f5zz': ply 2: "),
    (openings([Othello(6)]), ValueError, "expected openings for "),
    (openings([37]), ValueError, "expected openings for .*, got 37"),
    (openings([WIPE_OUT]), ValueError, f"the opening '{WIPE_OUT}' ends the game"),
    (openings({"f5d6": 0}), ValueError, "openings with weights of at least 0, not all 0"),
    (lambda: Openings("random:61", lambda key: Othello(4)).draw(0), ValueError, "61 random plies ended .*; use fewer"),
    # Othello
    (moves("f5f6f5"), IllegalActionError, r"ply 3: f5 \(action 37\) is not legal for black; the legal moves are: "),
    (moves("f5a1"), IllegalActionError, r"ply 2: a1 \(action 0\) is not legal for white"),
    (moves("f5pass"), IllegalActionError, r"ply 2: pass \(action 64\) is not legal for white"),
    (moves("f5d6z9"), NotationError, "ply 3: expected a square from a1 to h8, or pass, got 'z9'"),
    (moves("f5d6c"), NotationError, "ply 3: .* got 'c'"),
    (moves(["f5", 99]), IllegalActionError, "ply 2: actions here must be 0 to 64, not 99"),
    (moves(["f5", 1.5]), TypeError, "ply 2: an action must be an integer, not 1.5 of type float"),
    (moves(["f5", None]), TypeError, "ply 2: an action must be an integer, not None"),
    (moves(WIPE_OUT + "a1"), IllegalActionError, "ply 10: a1 .* the game is over"),
    *(
        (lambda a=a: Othello.from_bits(*a[:2], size=a[2]), ValueError, "two disjoint sets of squares within 0x")
        for a in ((1, 1, 8), (-1, 0, 8), (0, -2, 8), (1 << 64, 0, 8), (1, 0, 4), (0, 1, 6))
    ),
    (lambda: Othello().at(float("inf"), 0, 0, ()), ValueError, "expected sets of squares as numbers of 64 bits"),
    (lambda: Othello().at(1, 1 << 64, 0, ()), ValueError, "expected sets of squares as numbers of 64 bits"),
    *((lambda b=b: Othello().names_of(b), IllegalActionError, "must be 0 to 64, not") for b in (b"x", [-1], [10**30])),
    (lambda: OthelloPositions([], [], [], [], 5), ValueError, "size must be one of 4, 6, 8, not 5"),
    (lambda: Othello.from_text(""), NotationError, "16, 36 or 64 squares, got 0"),
    (lambda: Othello.from_text("-" * 63), NotationError, "16, 36 or 64 squares, got 63"),
    (lambda: Othello.from_text("-" * 15 + "?"), NotationError, r"not '\?' at square number 16"),
    (lambda: Othello.from_text("a1" * 8), NotationError, "with X, O and -, not 'a' at square number 1"),
    *((lambda p=p: Othello.from_text(EMPTY, p), NotationError, "player to move as X or O") for p in ("", "z", 2, -1)),
    *((square(text), NotationError, "a1 to h8, or pass") for text in ("", "f", "5", "5f", "i1", "a9", "a0", "f55")),
    *((square(text), NotationError, "a1 to h8, or pass") for text in ("f\u0665", "\uff465", "a\u00b2", "f5\u0661")),
    *((square(*at), NotationError, "expected a square from a1 to ") for at in (("g1", 6), ("a7", 6), ("e1", 4))),
    *((lambda s=s: symmetries.inverse(s), ValueError, "a symmetry must be 0 to 7") for s in (-1, 8, "1", None)),
    (lambda: symmetries.transform_actions([0], 8), ValueError, "a symmetry must be 0 to 7, not "),
    (lambda: symmetries.transform_policy(np.zeros(65), 8), ValueError, "a symmetry must be 0 to 7, not "),
    (lambda: symmetries.transform_observation(np.zeros((2, 8, 8)), 8), ValueError, "a symmetry must be 0 to 7"),
    # checkers
    *((fen(text), NotationError, "expected a position") for text in ("", "B:W21:W1", "X:W21:B1")),
    *((fen(text), NotationError, "squares from 1 to 32") for text in ("B:W33:B1", "B:W0:B1", "B:W5-3:B1")),
    (fen("B:W5:B5"), NotationError, "two pieces"),
    *((fen(text), NotationError, "last row") for text in ("B:W1:B5", "B:W21:B32")),
    (fen("B:W10-22:B1"), NotationError, "at most 12"),
    *((fen("B:W21:B11", going=going), NotationError, "continue jumping") for going in (11, 18, 99, -1)),
    (games("1. 11-15 hello *"), NotationError, "game 1: .*'hello'"),
    (games("1. 9-13 * 1. 11-15 22-99 *"), NotationError, "game 2: ply 2: .*22-99"),
    (games("1. 11-15 22-17 2. 15-24 *"), NotationError, "ply 3: '15-24' is not a move here: there is nothing"),
    (games("1. 11-16 11-16 *"), IllegalActionError, "game 1: ply 2"),
    (games('[GameType "20"] 1. 11-15 *'), NotationError, "English draughts"),
    (games('[GameType "21,B,12,12,N1,0"] *'), NotationError, "side 4, 6, 8 or 10"),
    (games('[FEN "B:W1"] *'), NotationError, "game 1: expected a position"),
    *((games(f"1. 11-15 {end} *"), NotationError, "parenthesis") for end in ("(22-18", "22-18)")),
    *((games(text), NotationError, "a comment begins with {") for text in ("1. 11-15 { 22-18 *", "1. {", "{ " * 10**5)),
    (games(f"1. 11-{NINES} *"), NotationError, "game 1: ply 1: expected a move"),
    (games(f'[FEN "B:W{NINES}:B1"] *'), NotationError, "game 1: expected squares from 1 to 32"),
    (games(f'[FEN "B:W1-{NINES}:B1"] *'), NotationError, "game 1: expected squares from 1 to 32"),
    *((games(text), TypeError, "expected a game of PDN as text, not ") for text in (None, b"1. 11-15 *")),
    # Tribolo
    *((lambda s=s: Tribolo(1, **s[0]), ValueError, s[1]) for s in STARTS),
    *((lambda s=s: GameVectorEnv("tribolo", 2, **s[0]), ValueError, s[1]) for s in STARTS),
    *((lambda t=t: Tribolo.from_text(t), NotationError, "of one length") for t in ("", " ", "BR/B", "BX", 27 * "B")),
    *(
        (lambda t=t: Tribolo(1).action_from_text(t), NotationError, "a1 to p11")
        for t in ("", "q1", "a0", "a12", "5", "f", "aa1", "é1")
    ),
    (lambda: Tribolo.from_text("RB-/---", "red").play_transcript("c1 a2"), IllegalActionError, "game is over"),
    (lambda: Tribolo.from_text("RB-/---", "red").play_transcript("1. c1 z"), NotationError, "ply 2: expected a cell"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), ROWS)
def test_a_wrong_call_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_game_that_begins_within_a_chain_cannot_be_written():
    start = Checkers.from_text("B:W15,22,32:B11,1").play_transcript("11x18")
    with pytest.raises(ValueError, match="middle of a chain"):
        pdn.dumps([PdnGame.from_state(start.play_transcript("18x25"), start)])
