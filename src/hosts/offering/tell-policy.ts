import { messageOf } from '../../core/errors.ts'
import { remarkWarning } from '../../core/policy/remarks/remark-warning.ts'
import { type InReach, remarksOnPolicy } from '../agents/profile/remarks-on-policy.ts'
import type { ProfileDeps } from '../agents/profile/run-profile.ts'
import { textWarning } from '../outcome/report-style.ts'
import type { Io } from '../process/io.ts'
import { readProjectPolicy } from '../project/project.ts'

/** Warns on stderr about lines of the policy without effect, when a host begins that starts runs for clients. */
export async function tellPolicy(
  deps: ProfileDeps,
  io: Io,
  { forClients = false }: Pick<InReach, 'forClients'> = {},
): Promise<void> {
  const { directory } = deps
  try {
    const policy = await readProjectPolicy(directory)
    if (policy === null) return
    const remarks = await remarksOnPolicy(
      deps,
      { policy, workdir: directory },
      { tools: [], agentFiles: [], forClients },
    )
    for (const remark of remarks) io.err(textWarning(remarkWarning(remark), io))
  } catch (thrown) {
    // Clients may still decide: only new runs need the policy, and are refused.
    io.err(`holdpoint: warning: ${messageOf(thrown)} No run can be started here.\n`)
  }
}
