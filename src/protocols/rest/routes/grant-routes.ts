import { includesRole } from '../../../core/people/role.ts'
import { settingRefusals } from '../../../core/refusals/setting-refusals.ts'
import { described, FLAG, object, orNull } from '../../../core/text/json-schema.ts'
import type { Grants } from '../../../runtime/face/grants.ts'
import type { Caller } from '../../http/gate.ts'
import { type RestRoute, verb } from '../route/rest-route.ts'
import { MATCH, NAME, TIME } from '../route/schema-parts.ts'

export const GRANT_ROUTES: readonly RestRoute[] = [
  verb('grants.list', {
    summary: 'Standing approvals, oldest first',
    query: { agent: NAME, tool: NAME, all: described(FLAG, 'Also those that were revoked or have expired.') },
    answers: { 200: '#Grants' },
    call: async ({ query }, { holdpoint }) => ({ grants: await holdpoint.grants.list(query) }),
  }),
  verb('grants.suggest', {
    summary: 'Rules that would have spared people approvals, with what speaks for each. It allows nothing',
    query: { since: described(TIME, 'Default: 90 days ago. What people refused counts from the beginning.') },
    answers: { 200: '#Suggestions' },
  }),
  verb('grants.add', {
    summary: 'Switch a suggested rule on: a standing approval for the project that expires',
    body: object(
      {
        ...{ agent: NAME, tool: NAME, match: MATCH },
        name: described(NAME, 'Default: its patterns.'),
        expires_at: described(orNull(TIME), 'Default: 30 days from now.'),
      },
      ['agent', 'tool', 'match'],
    ),
    answers: {
      200: '#Grant',
      403: 'The caller may not decide such calls.',
      422: 'A person refused a call that the rule covers, or none ever approved one.',
    },
  }),
  verb('grants.revoke', {
    summary: 'Revoke a standing approval: its calls are asked about again. What others gave takes the role admin',
    answers: { 200: '#Grant', 403: 'The caller did not give it.', 404: 'There is no such grant.' },
    call: async ({ id, caller, by }, { holdpoint }) => {
      if (!includesRole(caller.role, 'admin')) await refuseOfOthers(id, caller, holdpoint.grants)
      return holdpoint.grants.revoke(id, by)
    },
  }),
]

/** @throws RefusedError `role_not_sufficient`, also if there is none: who may not revoke it learns no more. */
async function refuseOfOthers(id: string, { name, role }: Caller, grants: Grants): Promise<void> {
  const grant = (await grants.list({ all: true })).find(each => each.id === id)
  if (grant?.granted_by === name) return
  throw settingRefusals.grantOfOthers(name, role)
}
