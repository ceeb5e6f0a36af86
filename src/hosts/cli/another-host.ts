/** Verbs that need the processes or the files of another host. */
import { RefusedError } from '../../core/errors.ts'
import { addressOf, isOfHost } from '../../core/fleet/fleet-host.ts'
import type { AgentSummary } from '../../runtime/face/agents.ts'
import type { CommandContext } from '../command/command.ts'
import type { App } from '../compose/compose.ts'

type Verb = (context: CommandContext) => Promise<number>

/** If only another host can do it, and its server is known, it is done over that server, with the token of this person. */
export async function orAtItsHost(context: CommandContext, verb: Verb): Promise<number> {
  try {
    return await verb(context)
  } catch (thrown) {
    const server = serverIn(thrown)
    if (server === null || context.server || !context.env['HOLDPOINT_TOKEN']?.trim()) throw thrown
    const { reachServer } = await import('../remote/reach-server.ts')
    const there = await reachServer(context, server).catch(fault => {
      throw isOfServer(fault) ? fault : unreached(thrown, fault)
    })
    return await verb(there)
  }
}

/** The server answered, and its refusal has the next step. */
function isOfServer(fault: unknown): boolean {
  return !(fault instanceof RefusedError) || fault.code === 'token_refused' || fault.code === 'version_mismatch'
}

/** The host and the path still help. */
function unreached(thrown: unknown, fault: Error): unknown {
  if (!(thrown instanceof RefusedError)) return thrown
  const { message, hint, details } = thrown
  return new RefusedError('on_another_host', message, {
    hint: `${hint ?? ''} ${fault.message}`.trim(),
    details,
    cause: fault,
  })
}

function serverIn(thrown: unknown): string | null {
  if (!(thrown instanceof RefusedError) || thrown.code !== 'on_another_host') return null
  const { server } = thrown.details as { readonly server?: string | null }
  return server ?? null
}

/** Refuses to attach to the process of an agent from another host. @throws RefusedError `on_another_host` */
export async function refuseAttachElsewhere({ store }: App, agent: AgentSummary): Promise<void> {
  const { id, name, host, workdir } = agent
  if (isOfHost(agent, store.hosts.self)) return
  const server = addressOf((await store.hosts.list()).find(one => one.id === host))
  throw new RefusedError(
    'on_another_host',
    `The process of ${name ?? id} is on the host ${host}, in ${workdir}, so nobody attaches to it from here.`,
    {
      hint:
        server === null
          ? `Attach there; \`holdpoint agents send ${name ?? id} "…"\` and \`agents logs\` work from here. Over a server of that host (\`holdpoint serve --address URL\`) attach does too.`
          : `Attach over the server of that host: --server ${server}, with your token in HOLDPOINT_TOKEN.`,
      details: { task_id: id, host, path: workdir, server },
    },
  )
}

/** Whether each host must be named: one task has another host than this one, or the store has several. */
export async function tellsHosts(
  { server }: CommandContext,
  { store }: App,
  listed: readonly { readonly host?: string | null }[],
): Promise<boolean> {
  const hosts = new Set(listed.map(({ host = null }) => host))
  if (hosts.size > 1 || server !== undefined) return hosts.size > 1
  const { self } = store.hosts
  if ([...hosts].some(host => host !== null && host !== self)) return true
  return (await store.hosts.list()).length > 1
}
