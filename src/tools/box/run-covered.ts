/** Runs a command that may run on the directory itself, without Holdpoint's records, keys and sockets in sight. */
import type { CommandOutcome } from '../run-command/spawn-command.ts'
import { prepareCover } from './box.ts'
import { boxNetwork } from './network/box-network.ts'
import type { BoxedCall } from './run-boxed.ts'

/** It has the network of the machine, unless the policy names hosts. */
export async function runCovered({
  box,
  command,
  context,
  environment,
  rules,
  spawn,
}: BoxedCall): Promise<CommandOutcome> {
  const { hosts, never } = rules.effects
  const covered = { command, workdir: context.workdir, runId: context.runId, environment, never }
  if (hosts.length === 0) return spawn(await prepareCover(box, covered))
  await using proxy = await boxNetwork(context, hosts)
  return await spawn(await prepareCover(box, { ...covered, proxy }))
}
