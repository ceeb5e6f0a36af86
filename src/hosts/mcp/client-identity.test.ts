import { expect, test } from 'vitest'
import { clientIdentity } from './client-identity.ts'

test('a client is who it says, whom the server was named for, or the agent within which it runs', () => {
  expect(clientIdentity({})('tester', null)).toMatchObject({ actor: 'mcp:tester', runId: null, role: 'admin' })
  expect(clientIdentity({})(null, null)).toMatchObject({ actor: 'mcp:unknown', runId: null })
  const named = clientIdentity({ HOLDPOINT_ACTOR: 'ana' })
  expect(named('tester', null)).toMatchObject({ actor: 'ana', person: 'ana', runId: null })
  const within = clientIdentity({ HOLDPOINT_WITHIN: 'agent:parent/run_1', HOLDPOINT_ACTOR: 'ana' })
  expect(within('tester', null)).toMatchObject({ actor: 'agent:parent/run_1', runId: 'run_1' })
  expect(clientIdentity({ HOLDPOINT_WITHIN: 'agent:parent' })('tester', null)).toMatchObject({
    actor: 'agent:parent',
    runId: null,
  })
})
