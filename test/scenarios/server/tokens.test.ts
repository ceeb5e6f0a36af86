import { execFileSync } from 'node:child_process'
import { request } from 'node:https'
import { expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, doneRun, openHold, type ServerProcess } from './server-process.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

/** The secret of a new token. */
async function added(project: Project, name: string, ...flags: string[]): Promise<string> {
  const made = await project.holdpoint('tokens', 'add', name, ...flags)
  expect(made.exit).toBe(0)
  expect(made.stdout).toMatch(/^hp_[\w-]{43}\n$/)
  return made.stdout.trim()
}

const sends = async (server: ServerProcess, token: string, path: string, body?: unknown) => {
  const { status, json } = await server.send(path, { token, ...(body !== undefined && { body }) })
  return [status, json.code ?? null]
}

test('P1: a viewer looks and decides nothing, a decider decides in their own name, and each role has the rights of those before it', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const [viewer, decider, operator] = [
    await added(project, 'vera', '--role', 'viewer'),
    await added(project, 'ben', '--role', 'decider', '--expires', '30d'),
    await added(project, 'olga', '--role', 'operator'),
  ]
  expect(await sends(server, decider, '/v1/threads', { input: 'x' })).toEqual([403, 'role_not_sufficient'])
  const { json: started } = await server.send('/v1/threads', { token: operator, body: { input: 'deploy' } })
  const hold = await openHold(server, started.run_id)
  const decisions = `/v1/holds/${hold.id}/decisions`
  expect(await sends(server, viewer, decisions, { verdict: 'approve' })).toEqual([403, 'role_not_sufficient'])
  const seen = await server.send(`/v1/holds/${hold.id}`, { token: viewer })
  expect(seen.json).toMatchObject({ requesters: ['olga'], may_decide: { code: 'may_only_look' } })
  expect(project.exists('effects.log')).toBe(false)

  const always = { name: 'echo', scope: 'project', match: { command: 'echo *' } }
  expect(await sends(server, decider, decisions, { verdict: 'approve', grant: always })).toEqual([
    403,
    'role_not_sufficient',
  ])
  const many = { decisions: [{ hold_id: hold.id, verdict: 'approve', grant: always }] }
  expect(await sends(server, decider, '/v1/decisions', many)).toEqual([403, 'role_not_sufficient'])
  expect(project.exists('effects.log')).toBe(false)

  const decided = await server.send(decisions, { token: decider, body: { verdict: 'approve' } })
  expect(decided.json).toMatchObject({ outcome: 'recorded', decision: { decided_by: 'ben', surface: 'http' } })
  await doneRun(server, started.run_id)
  expect(await project.effects()).toEqual(['applied'])
  const deleted = await server.send('/v1/grants/grant_x', { token: operator, method: 'DELETE' })
  expect(deleted.status).toBe(403)
})

const FURTHER = { verdict: 'edit', arguments: { command: 'echo other >> effects.log; cat /etc/hostname' } }
const decisionsOn = ({ id }: { readonly id: string }) => `/v1/holds/${id}/decisions`

/** A run that is held, and a token for each role. */
async function aHeldRun(project: Project, server: ServerProcess) {
  const [ben, cleo, olga] = [
    await added(project, 'ben', '--role', 'decider'),
    await added(project, 'cleo', '--role', 'decider'),
    await added(project, 'olga', '--role', 'operator'),
  ]
  const { json: started } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  return { ben, cleo, olga, run: started.run_id, hold: await openHold(server, started.run_id) }
}

test('P1: what a decider makes of a call beyond what was asked is held anew, and others decide it', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { ben, cleo, run, hold } = await aHeldRun(project, server)
  const grant = { name: 'cat', scope: 'run', match: { command: 'cat *' } }
  expect(await sends(server, ben, decisionsOn(hold), { ...FURTHER, grant })).not.toEqual([200, null])
  const edited = await server.send(decisionsOn(hold), { token: ben, body: FURTHER })
  expect(edited).toMatchObject({ status: 200, json: { outcome: 'recorded', decision: { digest: null } } })
  await expect.poll(async () => (await openHold(server, run)).id).not.toBe(hold.id)
  const again = await openHold(server, run)
  expect(again).toMatchObject({ arguments: FURTHER.arguments, requesters: ['ben'], deciders: { not_requester: true } })
  expect(again.message).toContain('ben changed this call')
  expect(await sends(server, ben, decisionsOn(again), { verdict: 'approve' })).toEqual([403, 'is_requester'])
  expect(await project.effects()).toEqual([])

  const further = { ...FURTHER, arguments: { command: 'echo third >> effects.log; cat /etc/passwd' } }
  expect(await sends(server, cleo, decisionsOn(again), further)).toEqual([200, null])
  await expect.poll(async () => (await openHold(server, run)).id).not.toBe(again.id)
  const third = await openHold(server, run)
  expect(third.requesters).toEqual(['ben', 'cleo'])
  for (const token of [ben, cleo])
    expect(await sends(server, token, decisionsOn(third), { verdict: 'approve' })).toEqual([403, 'is_requester'])
  expect((await server.send(decisionsOn(third), { body: { verdict: 'approve' } })).status).toBe(200)
  await doneRun(server, run)
  expect(await project.effects()).toEqual(['third'])
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})

test('P1: an operator edits a call to more than was asked, and so do deciders who have the right by a setting', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { olga, hold } = await aHeldRun(project, server)
  expect((await server.send(decisionsOn(hold), { token: olga, body: FURTHER })).json.decision.digest).toMatch(
    /^sha256:/,
  )

  await using other = await aProject({ script, policy, config: { deciders: { may_edit: true } } })
  await using there = await aServer(other)
  const { ben, run, hold: theirs } = await aHeldRun(other, there)
  expect((await there.send(decisionsOn(theirs), { token: ben, body: FURTHER })).json.decision.digest).toMatch(
    /^sha256:/,
  )
  await doneRun(there, run)
  expect(await other.effects()).toEqual(['other'])
})

test('P1: an edit beyond what was asked is refused if nobody else may decide', async () => {
  await using project = await aProject({ script, policy, config: { deciders: ['ben'] } })
  await using server = await aServer(project)
  const { ben, hold } = await aHeldRun(project, server)
  expect(await sends(server, ben, decisionsOn(hold), FURTHER)).toEqual([403, 'not_an_editor'])
  expect((await server.send(`/v1/holds/${hold.id}`)).json).toMatchObject({ status: 'open', decision: null })
})

test('P1: no token is added for a name that reads like that of another one', async () => {
  await using project = await aProject()
  await added(project, 'paul', '--role', 'viewer')
  const other = await project.holdpoint('tokens', 'add', '\u0440aul', '--role', 'admin', '--json')
  expect(other).toMatchObject({ exit: 2, json: { error: { code: 'name_looks_alike' } } })
  await added(project, 'paul', '--role', 'decider')
})

test('a token that is revoked or has expired lets nobody in, at once, and all of it is on record without a secret', async () => {
  await using project = await aProject({ script })
  await using server = await aServer(project, '--no-work')
  const ben = await added(project, 'ben', '--role', 'viewer')
  const soon = await added(project, 'cleo', '--role', 'viewer', '--expires', '2s')
  expect(await sends(server, ben, '/v1/holds')).toEqual([200, null])
  expect((await project.holdpoint('tokens')).stdout).toMatch(/token_\w+ +ben +viewer +valid +ana/)
  expect((await project.holdpoint('tokens', 'revoke', 'ben')).exit).toBe(0)
  expect(await sends(server, ben, '/v1/holds')).toEqual([401, 'invalid_token'])
  await expect.poll(() => sends(server, soon, '/v1/holds')).toEqual([401, 'invalid_token'])
  const { json: tokens } = await project.holdpoint('tokens', '--all', '--json')
  expect(tokens).toMatchObject([
    { name: 'ben', revoked_by: 'ana' },
    { name: 'cleo', revoked_at: null },
  ])
  const audit = await project.holdpoint('audit', '--json')
  expect(audit.stdout).toContain('access.added')
  expect(audit.stdout).toContain('access.revoked')
  for (const secret of [ben, soon]) expect(audit.stdout + JSON.stringify(tokens)).not.toContain(secret)
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})

test.each([
  ['no role', ['add', 'ben']],
  ['a role that is none', ['add', 'ben', '--role', 'root']],
  ['the name of an agent', ['add', 'agent:default', '--role', 'admin']],
  ['a name with characters that nobody sees', ['add', 'an\u200Ba', '--role', 'admin']],
  ['no name', ['add', '--role', 'admin']],
  ['an end that has passed', ['add', 'ben', '--role', 'viewer', '--expires', '2001-01-01']],
  ['a flag of another verb', ['list', '--role', 'viewer']],
  ['a verb that is none', ['give', 'ben']],
  ['a token that is not there', ['revoke', 'nobody']],
])('tokens with %s is refused, and changes nothing', async (_what, words) => {
  await using project = await aProject()
  await added(project, 'ana', '--role', 'viewer')
  expect((await project.holdpoint('tokens', ...words)).exit).toBe(2)
  expect((await project.holdpoint('tokens', '--all', '--json')).json).toHaveLength(1)
})

test('P1: an agent gives no tokens', async () => {
  await using project = await aProject()
  const refused = await project.run(['tokens', 'add', 'ben', '--role', 'admin'], {
    env: { HOLDPOINT_WITHIN: 'agent:default/run_1' },
  })
  expect(refused).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('is an agent') })
})

test('a server that other machines reach wants encryption and a token, and the token of its owner does not count there', async () => {
  await using project = await aProject({ script })
  const bare = await project.holdpoint('serve', '--port', '0', '--host', '0.0.0.0')
  expect(bare).toMatchObject({ exit: 2, stderr: expect.stringContaining('unencrypted') })
  const nobody = await project.holdpoint('serve', '--port', '0', '--host', '0.0.0.0', '--behind-proxy')
  expect(nobody).toMatchObject({ exit: 2, stderr: expect.stringContaining('holdpoint tokens add') })

  const ben = await added(project, 'ben', '--role', 'viewer')
  await using server = await aServer(project, '--behind-proxy', '--name', 'holds.example', '--no-work')
  expect(await sends(server, ben, '/v1/holds')).toEqual([200, null])
  expect((await server.send('/v1/holds')).json.code).toBe('invalid_token')
  expect(server.said.join('\n')).not.toContain('server-token')
})

test('with a certificate it speaks TLS', async () => {
  await using project = await aProject({ script })
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost']
  execFileSync('openssl', [...made, '-keyout', 'key.pem', '-out', 'cert.pem'], {
    cwd: project.directory,
    stdio: 'ignore',
  })
  const ben = await added(project, 'ben', '--role', 'viewer')
  await using server = await aServer(project, '--tls-cert', 'cert.pem', '--tls-key', 'key.pem', '--no-work')
  expect(server.url).toMatch(/^https:/)
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { authorization: `Bearer ${ben}` }
  request(`${server.url}/v1/holds`, { headers, rejectUnauthorized: false }, response => resolve(response.statusCode))
    .on('error', reject)
    .end()
  expect(await promise).toBe(200)
  const mixed = await project.holdpoint('serve', '--port', '0', '--tls-cert', 'cert.pem', '--tls-key', 'cert.pem')
  expect(mixed).toMatchObject({ exit: 2, stderr: expect.stringContaining('cannot be used') })
})
