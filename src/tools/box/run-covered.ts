/** Runs a command that may run on the directory itself, without Holdpoint's records, keys and sockets in sight. */
import { prepareCover } from './box.ts'
import { boxNetwork } from './box-network.ts'
import type { BoxedCall, Ended } from './run-boxed.ts'

/** It has the network of the machine, unless the policy names hosts. */
export async function runCovered<T extends Ended>({
  box,
  command,
  context,
  environment,
  rules,
  spawn,
}: BoxedCall<T>): Promise<T> {
  const { hosts, never } = rules.effects
  const covered = { command, workdir: context.workdir, runId: context.runId, environment, never }
  if (hosts.length === 0) return spawn(await prepareCover(box, covered))
  await using proxy = await boxNetwork(context, hosts)
  return await spawn(await prepareCover(box, { ...covered, proxy }))
}
