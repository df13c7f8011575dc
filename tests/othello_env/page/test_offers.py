"""The agents that a page may ask: only the offered agents, but the page may change the numbers of some options."""

import pytest

from othello_env import make_agent
from othello_env.arena.benchmark.ladder import load_ladder, rated_agents
from othello_env.arena.number import elo_text
from othello_env.page.messages import MessageError
from othello_env.page.offers import CHECKPOINT, PACKAGED, Offer, Offers, given

GIVEN = Offers(
    [
        Offer("alphabeta:depth=2,eval=weighted"),
        Offer("engine"),
        Offer("mcts"),
        Offer("policy.py:greedy"),
        Offer('gtp:command="edax -q"'),
    ]
)


MAY = (
    "alphabeta:depth=2,eval=weighted",
    "alphabeta:depth=30,eval=weighted,epsilon=0.25",
    "engine:ms=500,depth=12",
    "policy.py:greedy",
    "policy.py:greedy:epsilon=0.5",
    'gtp:command="edax -q",epsilon=0.1',
)
MAY_NOT = (
    "alphabeta:depth=2",  # the offered agent has eval=weighted, which is not the default
    "alphabeta:depth=31,eval=weighted",
    "alphabeta:depth=2,depth=3,eval=weighted",
    "engine:hash=65536",
    "mcts:seed=1",
    "policy.py:other",
    'gtp:command="sh"',
    "gtp:epsilon=0.1",
    "engine:" + "x" * 5000,
    None,
    ["engine"],
)


def test_a_page_may_set_the_numbers_of_an_offered_agent_and_name_nothing_else():
    assert [GIVEN.find(spec)[0] for spec in MAY] == [*MAY]
    for spec in MAY_NOT:
        with pytest.raises(MessageError, match="agent is one of"):
            GIVEN.find(spec)


def test_what_the_page_is_told_of_an_agent():
    told = Offer("alphabeta:depth=2,eval=weighted", "club", ("othello",), ("search",)).to_json()
    assert told["powers"] == ["search"]
    assert (told["head"], told["fixed"]) == ("alphabeta", ["eval=weighted"])
    assert told["settings"] == [
        {"name": "depth", "least": 1, "most": 30, "isInteger": True, "value": "2"},
        {"name": "epsilon", "least": 0, "most": 1, "isInteger": False, "value": ""},
    ]
    assert Offer('gtp:command="a ""b"""').to_json()["fixed"] == ['command="a ""b"""']


def test_words_of_strength_come_with_the_ladders_ratings():
    elo = {offer.spec: offer.to_json()["elo"] for offer in PACKAGED}
    for game, best in (("othello", "engine"), ("othello:size=6", "perfect")):
        known = {rung.spec: elo_text(rung.elo) for rung in (*load_ladder(game).rungs, *rated_agents(game))}
        assert len(known) == len(load_ladder(game).rungs) + len(rated_agents(game))  # an agent has one rating
        for spec in {*elo} & {*known}:
            assert elo[spec][game] == known[spec]
        assert elo["alphabeta:depth=4"][game] == known["alphabeta:depth=4,eval=weighted"]
        rated = [offer.spec for offer in PACKAGED if game in offer.games and game in elo[offer.spec]]
        assert {"random", "alphabeta:depth=2", "ntuple", "engine:depth=4", "engine"} <= {*rated}
        assert rated[-1] == best
    rungs = {rung.spec: elo_text(rung.elo) for rung in load_ladder("tribolo").rungs}
    assert (elo["tribolo"], elo["engine:ms=2000"]) == ({"tribolo": rungs["tribolo"]}, {})


def test_every_packaged_agent_can_be_set_up():
    specs = [offer.spec for offer in PACKAGED]
    offers = Offers(PACKAGED)
    assert [offers.find(spec)[0] for spec in specs] == specs
    settings = {
        spec: {each["name"] for each in told["settings"]} for spec, told in zip(specs, offers.to_json(), strict=True)
    }
    assert settings["engine"] == {"depth", "ms", "nodes", "exact", "epsilon"}
    assert settings["mcts"] == {"simulations", "exploration", "epsilon"}
    assert settings["random"] == {"epsilon"}


def test_an_agent_that_the_command_names_has_the_version_of_its_file():
    offers = Offers([Offer("random"), Offer("a.npz", given=True)])
    offers.found = (Offer("b.npz", CHECKPOINT, version="1-1"), Offer("a.npz", CHECKPOINT, version="2-2"))
    listed = [(offer.spec, offer.label, offer.version) for offer in offers]
    assert listed == [("a.npz", "", "2-2"), ("b.npz", CHECKPOINT, "1-1"), ("random", "", "")]


def test_a_packaged_agent_that_the_command_names_comes_first_and_keeps_its_label():
    offers = given(["ntuple"])
    assert (offers[0].spec, offers[0].label, offers[0].given) == ("ntuple", "learned by self-play", True)
    assert [offer.spec for offer in offers].count("ntuple") == 1
    found = {offer.spec: offer.powers for offer in offers}
    assert found["ntuple"] == ("action_values", "evaluate")
    assert (found["random"], "analyse" in found["engine"], "exact_scores" in found["perfect"]) == ((), True, True)


def test_a_network_of_your_own_is_offered_with_the_function_that_makes_it(monkeypatch):
    def make(spec):
        if spec == "mine.safetensors":
            raise ValueError("it needs the function that makes its network")
        return make_agent("perfect" if spec.startswith("mine") else spec)

    monkeypatch.setattr("othello_env.page.offers.make_agent", make)
    with pytest.raises(ValueError, match="network"):
        given(["mine.safetensors"])
    [offer, *_] = given(["mine.safetensors"], "nets.py:make")
    assert offer.spec == "mine.safetensors:network=nets.py:make"
    assert (offer.games, offer.powers) == (("othello:size=6", "othello:size=4"), ("action_values", "exact_scores"))
    assert given(["random"], "nets.py:make")[0].spec == "random"
