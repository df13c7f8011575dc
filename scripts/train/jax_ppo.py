"""Train a policy by self-play with PPO inside JAX's jit (``pip install 'othello-env[jax]'``).

    python scripts/train/jax_ppo.py --size 6 --out runs/jax_ppo.safetensors --seconds 600
    python scripts/train/jax_ppo.py --size 6 --out runs/more.safetensors --init runs/jax_ppo.safetensors
    python scripts/train/jax_ppo.py --out runs/gpu.safetensors --games 4096 --minibatch 8192

The third command has settings for a GPU, and has never been run. An iteration plays T plies of N new games in one call
of a compiled function, and learns from them in a call for each change of the weights. The policy plays both sides, and
each side learns from its own result (PPO: Schulman et al., 2017). The games are spread over all devices that JAX finds.

FILE:network=scripts/train/jax_ppo.py:make is the agent. Files of a changed class `Net` no longer fit. The agent and its
learning curve (.json, .png) are written to --out and beside it at each point of the curve, and TensorBoard's events to
a folder, if PyTorch and tensorboard are installed.
"""

import os
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

try:
    import jax
    import jax.numpy as jnp
    import optax
    import tyro
    from flax import linen as nn
    from jax.sharding import NamedSharding, PartitionSpec
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[jax]'")

try:
    from torch.utils.tensorboard import SummaryWriter
except ImportError:
    SummaryWriter = None

import othello_env.jax
from othello_agents.network import NeuralAgent
from othello_env.arena import measure_progress, progress_text, scalars
from othello_env.drawing import learning_curve
from othello_env.games.othello import symmetries
from othello_env.support.files import write_json


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/jax_ppo.safetensors")  # the file of the agent
    iterations: int = 1_000_000_000  # the most iterations; --seconds may end the run sooner
    seconds: float = 3600.0  # seconds of training, to the end of an iteration; neither measurements nor compiling count
    init: str = ""  # the agent of an earlier run, to begin with; the default is random weights
    every: int = 20  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    games: int = 512  # N, the games of an iteration
    steps: int = 64  # T, the plies of each game in an iteration; a game that ends is followed by the next
    random_plies: int = 10  # random plies at a game's start
    epochs: int = 1  # how many times the network learns from each ply
    minibatch: int = 512  # plies in one change of the weights
    rate: float = 1e-3  # the learning rate of Adam
    clip: float = 0.2  # the largest relative change of an action's probability
    entropy: float = 0.01  # the weight of the policy's entropy
    value: float = 0.5  # the weight of the value's squared error
    gae_lambda: float = 0.8  # 0 trusts the network's values, 1 the results of the games
    gradient: float = 0.5  # the largest norm of a gradient


CHANNELS, BLOCKS = 32, 2
MESH = jax.sharding.Mesh(np.array(jax.devices()), ("games",))  # all devices


class Net(nn.Module):
    """A residual network. From boards (N, S, S, 2) to logits (N, A) and values (N,), -1 to 1."""

    @nn.compact
    def __call__(self, boards: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = nn.relu(nn.Conv(CHANNELS, (3, 3))(boards.astype(jnp.float32)))
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
    return jax.nn.log_softmax(jnp.where(mask, logits, -1e9))


def player(args: Args) -> Any:
    """The function that plays an iteration: from params and its index to arrays (T * N, ...) and an order to learn in.

    The order is (changes of the weights, plies of a change), the indices of plies.
    """
    random_plies = args.random_plies if args.size == 8 else args.random_plies // 2
    env = othello_env.jax.Othello(args.size, openings=f"random:{random_plies}", auto_reset=True)
    apply, actions = Net().apply, args.size**2 + 1
    moved = np.array([symmetries.transform_actions(np.arange(actions), k, args.size) for k in range(symmetries.COUNT)])
    came = np.argsort(moved, axis=1)  # for each symmetry, the action that becomes each action
    spread = NamedSharding(MESH, PartitionSpec("games"))

    def play(params: Any, state: Any, key: jax.Array) -> tuple[Any, dict[str, jax.Array]]:
        """One ply of all games, seen in a random symmetry of the board."""
        turn, draw = jax.random.split(key)
        k = jax.random.randint(turn, (), 0, symmetries.COUNT)
        order = jnp.asarray(came)[k]
        boards = state.observation.reshape(len(state.observation), -1, 2)[:, order[:-1]]
        row = {"boards": boards.reshape(state.observation.shape), "mask": state.legal_action_mask[:, order]}
        logits, row["value"] = apply(params, row["boards"])
        policy = masked(logits, row["mask"])
        row["action"] = jax.random.categorical(draw, policy)
        row["before"] = jnp.take_along_axis(policy, row["action"][:, None], axis=1)[:, 0]
        after = jax.vmap(env.step)(state, order[row["action"]])
        row["reward"] = jnp.take_along_axis(after.rewards, state.current_player[:, None], axis=1)[:, 0]
        return after, row | {"done": after.terminated}

    def gain(following: tuple[jax.Array, jax.Array], row: dict[str, jax.Array]) -> Any:
        """GAE backwards in time. The next ply belongs to the other player, so its value and gain change sign."""
        next_value, next_gain = following
        goes_on = 1.0 - row["done"]
        delta = row["reward"] - goes_on * next_value - row["value"]
        gained = delta - args.gae_lambda * goes_on * next_gain
        return (row["value"], gained), gained

    def iteration(params: Any, index: jax.Array) -> tuple[dict[str, jax.Array], jax.Array]:
        begin, draw, *orders = jax.random.split(jax.random.fold_in(jax.random.key(args.seed), index), 2 + args.epochs)
        keys = jax.lax.with_sharding_constraint(jax.random.split(begin, args.games), spread)
        state, rows = jax.lax.scan(partial(play, params), jax.vmap(env.init)(keys), jax.random.split(draw, args.steps))
        last = apply(params, state.observation)[1]
        _, gains = jax.lax.scan(gain, (last, jnp.zeros_like(last)), rows, reverse=True)
        rows |= {"gain": gains, "target": gains + rows["value"]}
        plies = args.games * args.steps
        used = plies // args.minibatch * args.minibatch
        chosen = jnp.stack([jax.random.permutation(order, plies)[:used] for order in orders])
        return jax.tree.map(lambda x: x.reshape(plies, *x.shape[2:]), rows), chosen.reshape(-1, args.minibatch)

    return jax.jit(iteration)


def learner(args: Args, optimizer: Any) -> Any:
    """The function of a change of the weights: from (params, the optimiser's state), plies and indices to losses (3,).

    It is not in a loop of JAX's, in which a CPU takes about twenty times as long for the gradient of a convolution.
    """
    apply = Net().apply

    def loss(params: Any, batch: dict[str, jax.Array]) -> Any:
        logits, value = apply(params, batch["boards"])
        policy = masked(logits, batch["mask"])
        ratio = jnp.exp(jnp.take_along_axis(policy, batch["action"][:, None], axis=1)[:, 0] - batch["before"])
        gained = (batch["gain"] - batch["gain"].mean()) / (batch["gain"].std() + 1e-8)
        policy_loss = -jnp.minimum(ratio * gained, jnp.clip(ratio, 1 - args.clip, 1 + args.clip) * gained).mean()
        value_loss = jnp.square(value - batch["target"]).mean()
        entropy = -(jnp.exp(policy) * policy).sum(axis=1).mean()
        return policy_loss + args.value * value_loss - args.entropy * entropy, (policy_loss, value_loss, entropy)

    def change(learning: tuple[Any, Any], rows: dict[str, jax.Array], chosen: jax.Array) -> Any:
        params, memory = learning
        gradients, losses = jax.grad(loss, has_aux=True)(params, jax.tree.map(lambda x: x[chosen], rows))
        updates, memory = optimizer.update(gradients, memory)
        return (optax.apply_updates(params, updates), memory), jnp.stack(losses)

    return jax.jit(change)


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    if args.out.exists():
        sys.exit(f"{args.out} exists; give another --out")
    if args.minibatch > args.games * args.steps or args.games % len(jax.devices()):
        sys.exit(
            f"--minibatch must be at most {args.games * args.steps}, and --games a multiple of the number of devices, "
            f"{len(jax.devices())}"
        )
    apply, params = make(args.size, args.seed)
    if args.init:
        params = othello_env.jax.Network.load(args.init, make).params
    network = othello_env.jax.Network(apply, params, args.size, f"{os.path.relpath(__file__)}:make")
    optimizer = optax.chain(optax.clip_by_global_norm(args.gradient), optax.adam(args.rate, eps=1e-5))
    learning = jax.device_put((params, optimizer.init(params)), NamedSharding(MESH, PartitionSpec()))  # on each device
    play, change = player(args), learner(args, optimizer)
    rows, orders = play(learning[0], 0)
    jax.block_until_ready(change(learning, rows, orders[0]))  # compiles both before the clock runs

    settings = {name: value for name, value in asdict(args).items() if name != "out"}
    card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
    title = f"PPO in JAX learns {args.size}x{args.size} Othello, seed {args.seed}"
    print(title, flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix("")) if SummaryWriter else None
    losses: dict[str, float] = {}
    curve: list[dict[str, Any]] = []
    started = time.perf_counter()
    for iteration in range(args.iterations + 1):
        seconds, plies = time.perf_counter() - started, iteration * args.games * args.steps
        done = seconds >= args.seconds or iteration == args.iterations
        if done or iteration % args.every == 0:
            network.params = learning[0]
            progress = measure_progress(NeuralAgent(network), game=f"othello:size={args.size}", games=args.match)
            curve.append({"iteration": iteration, "plies": plies, "seconds": round(seconds, 1)} | losses | progress)
            print(f"iteration {iteration}  {plies:,} plies  {seconds:.0f} s  {progress_text(progress)}", flush=True)
            for name, value in scalars(progress).items() if writer else ():
                writer.add_scalar(name, value, plies)
            network.training = card | curve[-1]
            network.save(args.out)
            write_json(args.out.with_suffix(".json"), card | {"curve": curve})
            learning_curve(args.out.with_suffix(".png"), title, curve)
            started = time.perf_counter() - seconds  # measurements do not count
        if done:
            break

        rows, orders = play(learning[0], iteration)
        each_loss = []
        for order in orders:
            learning, loss = change(learning, rows, order)
            each_loss.append(loss)
        means = np.mean(each_loss, axis=0).tolist()
        if not np.isfinite(means).all():
            sys.exit("the training has diverged; a lower --rate may help")
        losses = {name: round(mean, 4) for name, mean in zip(("policy", "value", "entropy"), means, strict=True)}
        for name, loss in losses.items() if writer else ():
            writer.add_scalar(f"losses/{name}", loss, plies + args.games * args.steps)
    if writer:
        writer.close()
    print(f"{args.out} is the agent; its curve is beside it")
    print(f"next: othello-env benchmark {args.out}:network={network.function} --size {args.size}")


if __name__ == "__main__":
    main()
