/** `tasks/get`, `tasks/update` and `tasks/cancel` of the extension for tasks, for runs of agents. */
import type { Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server'
import { RefusedError } from '../../../core/errors.ts'
import { includesRole, type Role } from '../../../core/people/role.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import { type Client, clientOf, identityOf } from '../offer/client-of.ts'
import type { Identity, Offer } from '../offer/offer.ts'
import { answersTo, askable, formsFor, shownRun } from './run-forms.ts'
import type { RunSite } from './run-site.ts'
import { taskDocument } from './task-document.ts'

interface Asked {
  readonly view: RunView
  readonly client: Client
  readonly identity: Identity
  readonly request: ServerContext['mcpReq']
}

type Answer = (site: RunSite, asked: Asked) => Promise<Record<string, unknown>>

export function serveTasks(site: RunSite, server: Server, offer: Offer): void {
  const { sdk } = site
  const serve = (method: string, role: Role, answer: Answer) =>
    server.setRequestHandler(method, { params: TASK_PARAMS }, async ({ taskId }, context) => {
      const client = clientOf(sdk, server, context)
      const identity = identityOf(client, context, offer)
      try {
        if (!includesRole(identity.role, role)) throw otherRole(method, role, identity)
        const view = await site.running.holdpoint.run(taskId)
        return await answer(site, { view, client, identity, request: context.mcpReq })
      } catch (thrown) {
        throw thrown instanceof RefusedError ? asProtocolError(site, thrown) : thrown
      }
    })
  serve('tasks/get', 'viewer', getTask)
  serve('tasks/update', 'decider', updateTask)
  serve('tasks/cancel', 'operator', cancelTask)
}

const getTask: Answer = async (site, { view, client, identity }) => {
  const mayDecide = includesRole(identity.role, 'decider')
  const holds = mayDecide ? askable(view.holds, { client, identity }) : []
  return taskDocument(site.running, view, await formsFor(site, holds, identity.person))
}

/** The first decision wins: a client that comes second sees by the next look what became of it. */
const updateTask: Answer = async (site, { view, identity, request, client }) => {
  const shown = shownRun(site, view.id, askable(view.holds, { client, identity }))
  const answered = await answersTo(site, shown, { identity, request })
  for (const each of answered) if ('refusal' in each) throw each.refusal
  const decisions = answered.flatMap(each => ('decision' in each ? [each.decision] : []))
  const receipts = decisions.length > 0 ? await site.running.holdpoint.decideMany(decisions) : []
  for (const receipt of receipts) if (receipt.outcome === 'refused') throw receipt.error
  return {}
}

const cancelTask: Answer = async ({ running: { holdpoint } }, { view, identity: { actor: by } }) => {
  await holdpoint.cancel(view.id, { by, reason: null })
  return {}
}

function otherRole(method: string, role: Role, { actor, role: has }: Identity): RefusedError {
  return new RefusedError(
    'role_not_sufficient',
    `The token of ${actor} has the role ${has}, and ${method} takes the role ${role}.`,
    {
      hint: 'Nothing was done. Ask for a token with that role.',
    },
  )
}

/** The one parameter that counts; the SDK keeps the answers to forms. */
const TASK_PARAMS: StandardSchemaV1<{ readonly taskId: string }> = {
  '~standard': {
    version: 1,
    vendor: 'holdpoint',
    validate: value => {
      const { taskId } = (value ?? {}) as { readonly taskId?: unknown }
      return typeof taskId === 'string' ? { value: { taskId } } : { issues: [{ message: 'taskId must be a text' }] }
    },
  },
}

function asProtocolError({ sdk }: RunSite, { code, message, hint }: RefusedError): Error {
  return new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, message, { code, hint })
}
