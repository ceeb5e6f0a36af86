import type { RemoteHoldpoint, RemoteSpawn } from '../../../client/remote-holdpoint.ts'
import { refused } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { openForReading } from '../open-for-reading.ts'
import { nextText, standingText } from './agent-text.ts'
import type { SpawnWish } from './read-spawn.ts'
import { tellRest } from './tell-rest.ts'

/** The parts of an agent come from the host on which it runs, so these flags work only here. */
const ONLY_HERE = ['model', 'tool', 'policy', 'max-steps', 'workdir', 'system-prompt-file']

/** `--server`: the agent runs in the directory of the server, as the server knows it. */
export async function spawnThere(
  context: CommandContext & { readonly server: RemoteHoldpoint },
  wish: SpawnWish,
): Promise<number> {
  const { given, io, json, server } = context
  const foreign = ONLY_HERE.find(flag => given.has(flag))
  if (foreign !== undefined) throw onlyHere(foreign)
  const agent = await server.agents.spawn(requestFor(wish))
  if (wish.wait) return await tellRest(context, await openForReading(context), agent)
  io.out(json ? jsonLine(agent) : `${standingText(agent)}${nextText(agent, placeFlags(given))}`)
  return 0
}

function requestFor({ agent, prompt, name, timeoutSeconds, staying, worktree }: SpawnWish): RemoteSpawn {
  const { interactive, idle_timeout, on_idle } = staying
  return {
    input: prompt,
    ...(agent !== null && { agent }),
    ...(name !== null && { name }),
    ...(timeoutSeconds !== null && { timeout: timeoutSeconds }),
    ...(interactive !== null && { interactive }),
    ...(idle_timeout !== null && { idle_timeout }),
    ...(on_idle !== null && { on_idle }),
    ...(worktree && { worktree }),
  }
}

function onlyHere(flag: string) {
  return refused(
    'not_over_server',
    `--${flag} is for an agent that runs here, and a server starts it there. Nothing was started.`,
    'Leave it out, or name an agent of the server with --agent.',
  )
}
