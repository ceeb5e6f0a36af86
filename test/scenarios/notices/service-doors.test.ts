import { expect, test } from 'vitest'
import { aProject } from '../project.ts'
import { doneRun, openHold } from '../server/server-process.ts'
import { aPeopleServer } from './people-server.ts'

test('a server with Slack and GitHub in its configuration takes decisions from both, in the names of people', async () => {
  await using site = await aPeopleServer()
  const { server, project, slack, github } = site
  const started = (await server.send('/v1/threads', { body: { input: 'deploy' } })).json
  const hold = await openHold(server, started.run_id)
  const value = JSON.stringify({ h: hold.id, d: hold.digest, l: 0 })
  const button = { action_id: 'holdpoint.approve', value, type: 'button' }
  const strange = await slack.press(button, { channel: 'C0OPS', ts: '1.2' }, { user: 'U0EVE' })
  expect([strange.status, await project.effects()]).toEqual([200, []])
  expect((await slack.press(button, { channel: 'C0OPS', ts: '1.2' }, { user: 'U0ANA' })).status).toBe(200)
  expect((await doneRun(server, started.run_id)).status).toBe('done')
  expect(await project.effects()).toEqual(['applied'])

  const again = (await server.send('/v1/threads', { body: { input: 'deploy' } })).json
  const next = await openHold(server, again.run_id)
  expect((await github.comment(7, `/deny ${next.id} not today`, { login: 'ben-at-work' })).status).toBe(204)
  await doneRun(server, again.run_id)
  const { json } = await server.send(`/v1/holds/${next.id}`)
  expect(json.decision).toMatchObject({ decided_by: 'ben', surface: 'github', reason: 'not today' })
  expect(await project.effects()).toEqual(['applied'])
  const audit = (await project.holdpoint('audit')).stdout
  expect(audit).toContain('decision.refused  by slack:T0HOME/U0EVE (slack)  code=unknown_person')
})

test('P1: no command of an agent inherits the secrets of channels', async () => {
  const shows = { id: 'tc_1', name: 'run_command', args: { command: 'env > seen.txt' } }
  await using site = await aPeopleServer({ script: [{ calls: [shows] }, 'Done.'] })
  const started = (await site.server.send('/v1/threads', { body: { input: 'go' } })).json
  const hold = await openHold(site.server, started.run_id)
  await site.server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve' } })
  await doneRun(site.server, started.run_id)
  const seen = await site.project.read('seen.txt')
  expect(seen).toContain('PATH=')
  for (const name of ['SLACK_SECRET', 'GITHUB_SECRET', 'HOLDPOINT_SLACK_TOKEN']) expect(seen).not.toContain(name)
})

test('a server whose secret is not set does not start, and names the variable', async () => {
  const slack = { token_env: 'HOLDPOINT_SLACK_TOKEN', signing_secret_env: 'HOLDPOINT_SLACK_SIGNING_SECRET' }
  await using project = await aProject({ config: { notify: { channels: { slack } } } })
  await project.holdpoint('trust', '--yes')
  const refused = await project.holdpoint('serve', '--port', '0')
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toMatch(/HOLDPOINT_SLACK_\w+ is not set/)
})

test('a server without Slack and GitHub has no such doors', async () => {
  await using site = await aPeopleServer({ channels: { slack: undefined, github: undefined } })
  expect((await site.slack.deliver({}, { user: 'U0ANA' })).status).toBe(401)
  expect((await site.server.send('/slack/interactions', { body: {} })).status).toBe(404)
})
