/** `tasks/get`, `tasks/update` and `tasks/cancel` of the extension for tasks, for runs of agents. */
import type { Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server'
import { RefusedError } from '../../../core/errors.ts'
import { includesRole, type Role } from '../../../core/people/role.ts'
import { settingRefusals } from '../../../core/refusals/setting-refusals.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import { type Client, clientOf, identityOf } from '../offer/client-of.ts'
import type { Identity, Offer } from '../offer/offer.ts'
import type { RunDeps } from './run-deps.ts'
import { taskDocument } from './run-document.ts'
import { answersTo, askable, formsFor, shownRun } from './run-forms.ts'

interface Asked {
  readonly view: RunView
  readonly client: Client
  readonly identity: Identity
  readonly request: ServerContext['mcpReq']
}

type Answer = (deps: RunDeps, asked: Asked) => Promise<Record<string, unknown>>

export function serveTasks(deps: RunDeps, server: Server, offer: Offer): void {
  const { sdk } = deps
  const serve = (method: string, role: Role, answer: Answer) =>
    server.setRequestHandler(method, { params: TASK_PARAMS }, async ({ taskId }, context) => {
      const client = clientOf(sdk, server, context)
      const identity = identityOf(client, context, offer)
      try {
        if (!includesRole(identity.role, role))
          throw settingRefusals.roleTooLow(identity.actor, identity.role, method, role)
        const view = await deps.running.holdpoint.run(taskId)
        return await answer(deps, { view, client, identity, request: context.mcpReq })
      } catch (thrown) {
        throw thrown instanceof RefusedError ? asProtocolError(deps, thrown) : thrown
      }
    })
  serve('tasks/get', 'viewer', getTask)
  serve('tasks/update', 'decider', updateTask)
  serve('tasks/cancel', 'operator', cancelTask)
}

const getTask: Answer = async (deps, { view, client, identity }) => {
  const mayDecide = includesRole(identity.role, 'decider')
  const holds = mayDecide ? askable(view.holds, { client, identity }) : []
  return taskDocument(deps.running, view, await formsFor(deps, holds, identity.person))
}

/** The first decision wins: a client that is second sees the outcome when it looks next. */
const updateTask: Answer = async (deps, { view, identity, request, client }) => {
  const shown = shownRun(deps, view.id, askable(view.holds, { client, identity }))
  const answered = await answersTo(deps, shown, { identity, request })
  for (const each of answered) if ('refusal' in each) throw each.refusal
  const decisions = answered.flatMap(each => ('decision' in each ? [each.decision] : []))
  const receipts = decisions.length > 0 ? await deps.running.holdpoint.decideMany(decisions) : []
  for (const receipt of receipts) if (receipt.outcome === 'refused') throw receipt.error
  return {}
}

const cancelTask: Answer = async ({ running: { holdpoint } }, { view, identity: { actor: by } }) => {
  await holdpoint.cancel(view.id, { by, reason: null })
  return {}
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

function asProtocolError({ sdk }: RunDeps, { code, message, hint }: RefusedError): Error {
  return new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, message, { code, hint })
}
