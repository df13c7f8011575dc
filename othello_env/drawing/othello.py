"""How Othello looks: discs on green felt."""

from othello_env.drawing.scene import BLACK, FELT, WHITE, Piece, Place, Scene, action_path, caption, scene
from othello_env.games.othello.position import Othello

__all__ = ["othello_path", "othello_scene"]

_LOOKS = (BLACK, WHITE)


@scene.register
def othello_scene(state: Othello) -> Scene:
    """The scene shows the discs. It marks the disc that the last action placed, and the squares of legal moves."""
    size = state.size
    places = [(row, column) for row in range(size) for column in range(size)]
    last = state.moves[-1] if state.moves else None
    status = caption(state)
    if last == state.pass_action:
        status = f"{state.player_names[1 - state.to_move]} passed, {status}"
    owners = zip(places, state.owners(), strict=True)
    return Scene(
        cells=((FELT,) * size,) * size,
        pieces=tuple(Piece(place, _LOOKS[owner]) for place, owner in owners if owner is not None),
        legal=tuple(places[action] for action in state.legal_actions() if action != state.pass_action),
        last=() if last is None or last == state.pass_action else (places[last],),
        mover=_LOOKS[state.to_move],
        column_labels=tuple("abcdefgh"[:size]),
        row_labels=tuple("12345678"[:size]),
        scores=tuple(zip(state.player_names, _LOOKS, state.discs(), strict=True)),
        status=status,
        dots=((2, 2), (2, 6), (6, 2), (6, 6)) if size == 8 else (),
    )


@action_path.register
def othello_path(state: Othello, action: int) -> list[Place]:
    """The square on which the action places a disc. The list is empty for a pass."""
    return [] if action == state.pass_action else [divmod(action, state.size)]
