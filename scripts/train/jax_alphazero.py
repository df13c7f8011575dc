"""Train a policy and value network by self-play with tree search in JAX (``pip install 'othello-env[jax]'``).

    python scripts/train/jax_alphazero.py --size 6 --out runs/jax_az.safetensors --seconds 600
    python scripts/train/jax_alphazero.py --size 6 --out runs/jax_az.safetensors --seconds 1200 --resume
    python scripts/train/jax_alphazero.py --out runs/az8.safetensors --games 1024 --simulations 32 --minibatch 4096

The third command, for a GPU, was never run. The method is Gumbel AlphaZero (Danihelka et al., 2022) with the search of
mctx. An iteration plays N whole games at once, spread over all devices. The policy learns the improved policy that the
search returns, and the value the game's result. FILE:network=scripts/train/jax_alphazero.py:make,simulations=64 is the
agent with a search. Files of a changed `Net` do not fit. The curve (.json, .png) and the state for --resume are written
beside the file. A resumed run equals an uninterrupted one, on a CPU bit for bit. Ctrl-C ends it after the iteration.
"""

import json
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

try:
    import jax
    import jax.numpy as jnp
    import mctx
    import optax
    import tyro
    from flax import linen as nn
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    from safetensors.numpy import load, save
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[jax]'")

import othello_env.jax
from othello_agents.network import NeuralAgent
from othello_env.arena import measure_progress, progress_text
from othello_env.drawing import learning_curve
from othello_env.games.openings import Openings
from othello_env.games.othello import symmetries
from othello_env.support.files import write_file, write_json


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/jax_alphazero.safetensors")  # the file of the agent
    iterations: int = 1_000_000_000  # the most iterations; --seconds may end the run sooner
    seconds: float = 3600.0  # seconds of the whole run, measurements included
    resume: bool = False  # continue the run of --out
    every: int = 10  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    # The results depend on the options from here on. A resumed run must have the same.
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    games: int = 128  # N, the games of an iteration; all are played at once
    simulations: int = 16  # simulations of the search for each move
    considered: int = 8  # the most moves that a search compares
    random_plies: int = 20  # the most random plies at a game's start on 8x8; in proportion fewer on smaller boards
    window: int = 100_000  # the newest positions that are kept to learn from; at least those of an iteration
    reuse: float = 4.0  # how many times the network learns from a position, on average
    minibatch: int = 256  # positions in one change of the weights
    rate: float = 1e-3  # the learning rate of AdamW
    decay: float = 1e-4  # the weight decay of AdamW


RUN = ("out", "iterations", "seconds", "resume", "every", "match")  # may change on --resume
YARDSTICK = "alphabeta:depth=2,eval=weighted"  # the opponent of the network without search
CHANNELS, BLOCKS = 32, 2


class Net(nn.Module):
    """A residual network. From boards (N, S, S, 2) to logits (N, A) and values (N,), -1 to 1."""

    @nn.compact
    def __call__(self, boards: jax.Array) -> tuple[jax.Array, jax.Array]:
        planes = jnp.concatenate([boards, othello_env.jax.legal_moves(boards)[..., jnp.newaxis]], axis=-1)
        x = nn.relu(nn.Conv(CHANNELS, (3, 3))(planes.astype(jnp.float32)))  # without the third plane it learns worse
        for _ in range(BLOCKS):
            x = nn.relu(x + nn.Conv(CHANNELS, (3, 3))(nn.relu(nn.Conv(CHANNELS, (3, 3))(x))))
        moves = nn.Dense(1, kernel_init=nn.initializers.normal(0.01))(x).reshape(len(x), -1)
        moves += self.param("squares", nn.initializers.zeros, (moves.shape[1],))
        flat = jnp.concatenate([x.mean(axis=(1, 2)), nn.relu(nn.Dense(1)(x)).reshape(len(x), -1)], axis=1)
        value = nn.Dense(1, kernel_init=nn.initializers.normal(0.01))(nn.relu(nn.Dense(64)(flat)))
        return jnp.pad(moves, ((0, 0), (0, 1))), jnp.tanh(value[:, 0])  # the pass is legal only alone


def make(size: int, seed: int = 0) -> tuple[Any, Any]:
    """The network as `othello_env.jax.Network` takes it: ``(apply, params)``."""
    return Net().apply, Net().init(jax.random.key(seed), jnp.zeros((1, size, size, 2), bool))


def masked(logits: jax.Array, mask: jax.Array) -> jax.Array:
    return jnp.where(mask, logits, -1e9)


def player(args: Args) -> Any:
    """The function that plays the games of an iteration: from params and a key to arrays (T, N, ...), T plies."""
    most = args.random_plies * args.size**2 // 64
    starts = [Openings.random(othello_env.Othello(args.size), k % (most + 1), k) for k in range(16_384)]
    env = othello_env.jax.Othello(args.size, openings=starts)
    apply, plies = Net().apply, 2 * (args.size**2 - 4)  # at most so many plies, with the passes
    spread = NamedSharding(Mesh(np.array(jax.devices()), ("games",)), PartitionSpec("games"))

    def simulate(params: Any, _: jax.Array, action: jax.Array, state: Any) -> tuple[Any, Any]:
        """Mctx's recurrent function, one ply on. The next player is the other, so values change sign."""
        after = jax.vmap(env.step)(state, action)
        logits, value = apply(params, after.observation)
        reward = jnp.take_along_axis(after.rewards, state.current_player[:, None], axis=1)[:, 0]
        discount, value = jnp.where(after.terminated, 0.0, -1.0), jnp.where(after.terminated, 0.0, value)
        prior = masked(logits, after.legal_action_mask)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=prior, value=value), after

    def ply(params: Any, state: Any, key: jax.Array) -> tuple[Any, dict[str, jax.Array]]:
        logits, value = apply(params, state.observation)
        root = mctx.RootFnOutput(prior_logits=masked(logits, state.legal_action_mask), value=value, embedding=state)
        how = {"invalid_actions": ~state.legal_action_mask, "max_num_considered_actions": args.considered}
        scale = {"value_scale": 0.5, "rescale_values": False}  # as in the paper's board games
        how["qtransform"] = lambda *of: mctx.qtransform_completed_by_mix_value(*of, **scale)
        found = mctx.gumbel_muzero_policy(params, key, root, simulate, args.simulations, **how)
        after = jax.vmap(env.step)(state, found.action)
        row = {"boards": state.observation, "mask": state.legal_action_mask, "policy": found.action_weights}
        return after, row | {"reward": after.rewards[:, 0], "mover": state.current_player, "played": ~state.terminated}

    def play(params: Any, key: jax.Array) -> dict[str, jax.Array]:
        begin, search = jax.random.split(key)
        state = jax.vmap(env.init)(jax.lax.with_sharding_constraint(jax.random.split(begin, args.games), spread))
        rows = jax.tree.map(lambda x: jnp.zeros((plies, *x.shape), x.dtype), jax.eval_shape(ply, params, state, key)[1])

        def one_ply(carry: Any) -> Any:
            t, state, rows = carry
            state, row = ply(params, state, jax.random.fold_in(search, t))
            return t + 1, state, jax.tree.map(lambda all_rows, new: all_rows.at[t].set(new), rows, row)

        *_, rows = jax.lax.while_loop(lambda carry: ~carry[1].terminated.all(), one_ply, (0, state, rows))
        value = rows["reward"].sum(axis=0) * jnp.where(rows["mover"] == 0, 1, -1)
        return {"value": value} | {name: rows[name] for name in ("boards", "mask", "policy", "played")}

    return jax.jit(play)


def learner(args: Args, optimizer: Any) -> Any:
    """The function of a change of the weights: from (params, the optimiser's state) to the same and losses."""
    apply, actions = Net().apply, args.size**2 + 1
    moved = np.array([symmetries.transform_actions(np.arange(actions), k, args.size) for k in range(symmetries.COUNT)])
    came = np.argsort(moved, axis=1)  # for each symmetry, the action that becomes each action

    def loss(params: Any, batch: dict[str, jax.Array], k: jax.Array) -> Any:
        order = jnp.asarray(came)[k]
        boards = batch["boards"].reshape(-1, args.size**2, 2)[:, order[:-1]]
        logits, value = apply(params, boards.reshape(batch["boards"].shape))
        policy = jax.nn.log_softmax(masked(logits, batch["mask"][:, order]))
        losses = -(batch["policy"][:, order] * policy).sum(axis=1).mean(), jnp.square(value - batch["value"]).mean()
        return sum(losses), losses

    def change(learning: tuple[Any, Any], batch: dict[str, jax.Array], k: jax.Array) -> Any:
        gradients, losses = jax.grad(loss, has_aux=True)(learning[0], batch, k)
        updates, memory = optimizer.update(gradients, learning[1], learning[0])
        return (optax.apply_updates(learning[0], updates), memory), jnp.stack(losses)

    return jax.jit(change)


def named(tree: Any) -> dict[str, np.ndarray]:
    return {jax.tree_util.keystr(p): np.asarray(x, order="C") for p, x in jax.tree_util.tree_leaves_with_path(tree)}


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__, config=(tyro.conf.FlagCreatePairsOff,))
    settings = {name: value for name, value in asdict(args).items() if name not in RUN}
    suffixes = ("safetensors", "json", "png", "state.safetensors", "state.json")
    out, curve_file, picture, state, run_file = files = [args.out.with_suffix(f".{suffix}") for suffix in suffixes]
    if not args.resume and (there := [file for file in files if file.exists()]):
        sys.exit(f"{there[0]} exists; --resume continues its run, and another --out begins a new one")
    if min(args.every, args.match, args.games, args.simulations, args.considered, args.minibatch) < 1 or args.match % 2:
        sys.exit("--every, --match, --games, --simulations, --considered, --minibatch must be at least 1, --match even")
    if args.window < (most := 2 * args.games * (args.size**2 - 4)) or args.games % len(jax.devices()):
        sys.exit(f"--window must be at least {most}, and --games a multiple of the {len(jax.devices())} devices")
    out.parent.mkdir(parents=True, exist_ok=True)

    apply, params = make(args.size, args.seed)
    learning = (params, (optimizer := optax.adamw(args.rate, weight_decay=args.decay)).init(params))
    run: dict[str, Any] = {"iteration": 0, "games": 0, "positions": 0, "seconds": 0.0, "losses": {}, "curve": []}
    n, actions = args.window, args.size**2 + 1
    kept = {"boards": np.zeros((n, args.size, args.size, 2), bool), "mask": np.zeros((n, actions), bool)}
    kept |= {"policy": np.zeros((n, actions), np.float32), "value": np.zeros(n, np.float32)}
    if args.resume:
        try:
            run, tensors = json.loads(run_file.read_text()), load(state.read_bytes())
            learning = jax.tree.unflatten(jax.tree.structure(learning), [tensors[name] for name in named(learning)])
            for name, array in kept.items():
                array[: min(run["positions"], n)] = tensors[f"kept {name}"]
        except (KeyError, OSError, ValueError) as error:
            sys.exit(f"jax_alphazero.py: {error}")
        if run.pop("settings") != settings:
            sys.exit(f"{run_file} belongs to a run with other settings")
    play, change = player(args), learner(args, optimizer)
    network = othello_env.jax.Network(apply, learning[0], args.size, f"{os.path.relpath(__file__)}:make")

    stop: list[int] = []  # not empty after Ctrl-C
    signal.signal(signal.SIGINT, lambda *_: stop.append(1) or signal.signal(signal.SIGINT, signal.default_int_handler))
    started, curve = time.perf_counter() - run["seconds"], run["curve"]
    while True:
        number, run["seconds"] = run["iteration"], time.perf_counter() - started
        done = bool(stop) or run["seconds"] >= args.seconds or number >= args.iterations
        measured = (done or number % args.every == 0) and (not curve or curve[-1]["iteration"] < number)
        if measured:
            point = {"iteration": number, "games": run["games"], "seconds": round(run["seconds"], 1)} | run["losses"]
            card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
            network.params, network.training = learning[0], card | point
            how = {"size": args.size, "games": args.match}
            point |= measure_progress(NeuralAgent(network, simulations=args.simulations), **how)
            alone = measure_progress(NeuralAgent(network), **how, opponents=(YARDSTICK,), rating=False)
            curve.append(point | {"without search": alone["scores"]})
            where = f"iteration {number}  {run['games']:,} games  {run['seconds']:.0f} s"
            print(where, progress_text(point), f"without search {alone['scores'][YARDSTICK]:.2f}", sep="  ", flush=True)
            network.save(out)
            write_json(curve_file, card | {"curve": curve})
            learning_curve(picture, f"AlphaZero in JAX, {args.size}x{args.size}, seed {args.seed}", curve, "games")
        if measured or done:
            run["seconds"] = time.perf_counter() - started
            tensors = {f"kept {name}": array[: run["positions"]] for name, array in kept.items()}
            write_file(state, save(named(learning) | tensors))
            write_json(run_file, run | {"settings": settings})
        if done:
            break
        rng = np.random.default_rng([args.seed, number])
        rows = {name: np.asarray(each) for name, each in play(learning[0], jax.random.key(rng.integers(2**31))).items()}
        played, before = rows.pop("played"), run["positions"]
        run["positions"] += int(played.sum())
        for name, array in kept.items():  # the newest positions replace the oldest
            array[np.arange(before, run["positions"]) % n] = rows[name][played]
        changes = int(run["positions"] * args.reuse / args.minibatch) - int(before * args.reuse / args.minibatch)
        losses = []
        for _ in range(changes):
            chosen, k = rng.integers(min(run["positions"], n), size=args.minibatch), rng.integers(symmetries.COUNT)
            learning, loss = change(learning, {name: array[chosen] for name, array in kept.items()}, k)
            losses.append(loss)
        values = np.mean(losses, axis=0).tolist() if losses else []
        if not np.isfinite(values).all():
            sys.exit(f"iteration {number}: the training has diverged; a lower --rate may help")
        run["losses"] = {name: round(each, 4) for name, each in zip(("policy", "value"), values, strict=False)}
        run["iteration"], run["games"] = number + 1, run["games"] + args.games
    print(f"{out} is the agent, {curve_file} and {picture} its curve, {state} and {run_file} are for --resume")
    print(f"next: othello-env benchmark {out}:network={network.function},simulations=16 --size {args.size}")
    if stop:
        sys.exit(130)


if __name__ == "__main__":
    main()
