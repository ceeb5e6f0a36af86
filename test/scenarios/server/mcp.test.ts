import type { Client, ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { type Era, textOf } from '../mcp/clients.ts'
import { aProject, effect, type Project } from '../project.ts'
import { mcpClient, modernRequest } from './mcp-client.ts'
import { aServer, doneRun, openHold, type ServerProcess } from './server-process.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }
const eras: readonly Era[] = ['latest', 'older']
const FORMS = { capabilities: { elicitation: { form: {} } } }

async function added(project: Project, name: string, role: string): Promise<string> {
  return (await project.holdpoint('tokens', 'add', name, '--role', role)).stdout.trim()
}

/** Says this to each form. */
function answering(client: Client, said: ElicitResult | (() => Promise<ElicitResult>)): ElicitRequestFormParams[] {
  const asked: ElicitRequestFormParams[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params as ElicitRequestFormParams)
    return typeof said === 'function' ? said() : said
  })
  return asked
}

const APPROVE: ElicitResult = { action: 'accept', content: { decision: 'approve' } }

/** One request of the latest revision, without the official client. */
async function sendModern(
  server: ServerProcess,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { capabilities = {}, token }: { readonly capabilities?: object; readonly token?: string } = {},
) {
  const { body, headers } = modernRequest(method, params, capabilities)
  return (await server.send('/mcp', { body, headers, ...(token && { token }) })).json
}

test.each(eras)('P1: %s: the token signs, and a caller has the rights of its role', async era => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const [vera, ben] = [await added(project, 'vera', 'viewer'), await added(project, 'ben', 'decider')]
  const { json: started } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  const hold = await openHold(server, started.run_id)
  const approve = { name: 'decide_hold', arguments: { hold_id: hold.id, verdict: 'approve' } }

  const viewer = await mcpClient(server, era, { token: vera })
  const seen = (await viewer.listTools()).tools.map(({ name }) => name)
  expect(seen).toEqual(expect.arrayContaining(['list_holds', 'get_run', 'get_all_tasks']))
  for (const name of ['decide_hold', 'ask_user', 'run_agent', 'subagent_task', 'run_command_task'])
    expect(seen).not.toContain(name)
  expect(textOf(await viewer.callTool(approve)).error).toMatchObject({ code: 'role_not_sufficient' })
  const open = await viewer.callTool({ name: 'list_holds', arguments: {} })
  expect(open.structuredContent).toMatchObject({ holds: [{ id: hold.id, status: 'open' }] })

  const decider = await mcpClient(server, era, { token: ben })
  expect(textOf(await decider.callTool({ name: 'run_agent', arguments: { prompt: 'x' } })).error.code).toBe(
    'role_not_sufficient',
  )
  const decided = await decider.callTool(approve)
  const signed = { decided_by: 'ben', surface: 'mcp' }
  expect(decided.structuredContent).toMatchObject({ outcome: 'recorded', decision: signed })
  await doneRun(server, started.run_id)
  expect(await project.effects()).toEqual(['applied'])
  await Promise.all([viewer.close(), decider.close()])
})

test('a session is unknown to every caller but the one who began it', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const ben = await added(project, 'ben', 'viewer')
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  const accept = { accept: 'application/json, text/event-stream' }
  const begun = await server.fetch('/mcp', { body: initialize, headers: accept })
  const headers = { ...accept, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
  await begun.body?.cancel()
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }
  const own = await server.fetch('/mcp', { body: list, headers })
  expect(own.status).toBe(200)
  await own.body?.cancel()
  expect((await server.send('/mcp', { body: list, headers, token: ben })).status).toBe(404)
})

test.each(eras)('%s: an agent is a tool, and its person decides at the client', async era => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = await mcpClient(server, era, { token: await added(project, 'olga', 'operator'), ...FORMS })
  const asked = answering(client, APPROVE)
  const ran = await client.callTool({ name: 'run_agent', arguments: { prompt: 'deploy' } })
  expect(ran.structuredContent).toMatchObject({
    agent: 'default',
    status: 'completed',
    pause_reason: null,
    result: { final_message: 'Deployed.', termination: { type: 'natural_end' } },
  })
  expect(asked[0]?.message).toContain('recorded as olga')
  expect(await project.effects()).toEqual(['applied'])
  const { json } = await project.holdpoint('holds', '--status', 'all', '--json')
  expect(json.holds ?? json).toMatchObject([
    { requesters: ['olga'], decision: { decided_by: 'olga', surface: 'mcp-elicitation' } },
  ])
  await client.close()
})

test('run_agent tells which agents there are, also those that came later, and refuses any other name', async () => {
  await using project = await aProject({ script, policy: { default: 'auto' } })
  await using server = await aServer(project)
  const client = await mcpClient(server, 'latest')
  const told = async () => {
    const { tools } = await client.listTools()
    return JSON.stringify(tools.find(({ name }) => name === 'run_agent')?.inputSchema)
  }
  expect(await told()).not.toContain('Known')
  await project.write('.holdpoint/agents/shipper.md', '---\nname: shipper\n---\nShip it.\n')
  expect(await told()).toContain('Known: shipper.')
  const ran = await client.callTool({ name: 'run_agent', arguments: { prompt: 'ship', agent: 'shipper' } })
  expect(ran.structuredContent).toMatchObject({ agent: 'shipper', status: 'completed' })
  const other = await client.callTool({ name: 'run_agent', arguments: { prompt: 'ship', agent: '../evil.ts' } })
  expect(textOf(other).error).toMatchObject({ code: 'unknown_agent', hint: expect.stringContaining('shipper') })
  await client.close()
})

test.each(eras)('%s: a client without forms is told what waits, resumes the run, and looks at it', async era => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = await mcpClient(server, era)
  const paused = await client.callTool({ name: 'run_agent', arguments: { prompt: 'deploy' } })
  const { run_id, checkpoint_id } = paused.structuredContent as { run_id: string; checkpoint_id: string }
  expect(paused.structuredContent).toMatchObject({
    status: 'paused',
    pause_reason: { type: 'tool_approval_required', pending_tool_calls: [{ id: 'tc_1' }] },
    pause: { checkpoint_id, agent_message: 'I will deploy.' },
    result: null,
    note: expect.stringContaining('resume_run'),
  })
  const looked = await client.callTool({ name: 'get_run', arguments: { run_id } })
  expect(looked.structuredContent).toMatchObject({ run_id, status: 'paused' })
  const resume = {
    name: 'resume_run',
    arguments: { run_id, checkpoint_id, tool_decisions: [{ tool_call_id: 'tc_1', approved: true }] },
  }
  const done = await client.callTool(resume)
  expect(done.structuredContent).toMatchObject({ run_id, status: 'completed' })
  expect(textOf(await client.callTool(resume)).error.code).toBe('superseded')
  expect(await project.effects()).toEqual(['applied'])
  const { json } = await server.send(`/v1/runs/${run_id}`)
  expect(json).toMatchObject({ status: 'done', agent_message: 'Deployed.' })
  await client.close()
})

test('a form outlives its server, counts for its own caller alone, and is one decision however often it comes back', async () => {
  await using project = await aProject({ script, policy })
  const olga = await added(project, 'olga', 'operator')
  const otto = await added(project, 'otto', 'operator')
  const capabilities = { elicitation: { form: {} } }
  const call = { name: 'run_agent', arguments: { prompt: 'deploy' } }
  await using first = await aServer(project)
  const { result } = await sendModern(first, 'tools/call', call, { capabilities, token: olga })
  expect(result.resultType).toBe('input_required')
  const [holdId = ''] = Object.keys(result.inputRequests)
  expect(result.inputRequests[holdId]).toMatchObject({ method: 'elicitation/create', params: { mode: 'form' } })
  first.child.kill('SIGKILL')
  await first.exit

  await using second = await aServer(project)
  const { requestState } = result
  const inputResponses = { [holdId]: APPROVE }
  const answer = { ...call, inputResponses, requestState }
  const stolen = await sendModern(second, 'tools/call', answer, { capabilities, token: otto })
  expect(stolen.error).toMatchObject({ code: -32602 })
  const [version = '', payload = '', mac = ''] = String(requestState).split('.')
  const forged = Buffer.from(payload, 'base64url').toString().replace(holdId, 'hold_of_another')
  const changed = [version, Buffer.from(forged).toString('base64url'), mac].join('.')
  const tampered = await sendModern(
    second,
    'tools/call',
    { ...answer, requestState: changed },
    { capabilities, token: olga },
  )
  expect(tampered.error).toMatchObject({ code: -32602 })
  expect(project.exists('effects.log')).toBe(false)

  const done = await sendModern(second, 'tools/call', answer, { capabilities, token: olga })
  expect(done.result.structuredContent).toMatchObject({ status: 'completed' })
  const again = await sendModern(second, 'tools/call', answer, { capabilities, token: olga })
  expect(again.result.structuredContent).toMatchObject({
    status: 'completed',
    run_id: done.result.structuredContent.run_id,
  })
  expect(await project.effects()).toEqual(['applied'])
})

test('P2: a form that comes back after another decision tells who was first', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const ben = await added(project, 'ben', 'decider')
  const client = await mcpClient(server, 'latest', FORMS)
  answering(client, async () => {
    const { json } = await server.send('/v1/holds')
    const path = `/v1/holds/${json.holds[0].id}/decisions`
    await server.send(path, { token: ben, body: { verdict: 'reject', reason: 'not today' } })
    return APPROVE
  })
  const ran = await client.callTool({ name: 'run_agent', arguments: { prompt: 'deploy' } })
  expect(ran.structuredContent).toMatchObject({
    status: 'completed',
    note: expect.stringContaining('ben already chose reject'),
  })
  expect(project.exists('effects.log')).toBe(false)
  await client.close()
})

test('a person who declines is not asked again, and the hold stays open', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = await mcpClient(server, 'latest', FORMS)
  const asked = answering(client, { action: 'decline' })
  const ran = await client.callTool({ name: 'run_agent', arguments: { prompt: 'deploy' } })
  expect(ran.structuredContent).toMatchObject({ status: 'paused', note: expect.stringContaining('declined') })
  expect(asked).toHaveLength(1)
  await client.close()
})

test('a caller who may not decide is not asked: others decide, and the call that waits tells what came of it', async () => {
  await using project = await aProject({ script, policy, config: { deciders: { people: ['ben'] } } })
  await using server = await aServer(project)
  const [olga, ben] = [await added(project, 'olga', 'operator'), await added(project, 'ben', 'decider')]
  const client = await mcpClient(server, 'latest', { token: olga, ...FORMS })
  const asked = answering(client, APPROVE)
  const ran = await client.callTool({ name: 'run_agent', arguments: { prompt: 'deploy' } })
  expect(ran.structuredContent).toMatchObject({ status: 'paused' })
  expect(asked).toEqual([])
  const { run_id } = ran.structuredContent as { run_id: string }
  const hold = await openHold(server, run_id)
  const own = { run_id, tool_decisions: [{ tool_call_id: 'tc_1', approved: true }] }
  expect(textOf(await client.callTool({ name: 'resume_run', arguments: own })).error.code).toBe('not_a_decider')
  await server.send(`/v1/holds/${hold.id}/decisions`, { token: ben, body: { verdict: 'approve' } })
  const done = await client.callTool({ name: 'get_run', arguments: { run_id, timeout_seconds: 20 } })
  expect(done.structuredContent).toMatchObject({ status: 'completed' })
  await client.close()
})

test('a client that takes tasks gets one at once, answers its form, and finds the result', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const capabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const send = (method: string, params: object) => sendModern(server, method, { ...params }, { capabilities })
  const discovered = await send('server/discover', {})
  expect(discovered.result.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} })
  const { result: task } = await send('tools/call', { name: 'run_agent', arguments: { prompt: 'deploy' } })
  expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null, createdAt: expect.any(String) })
  const { taskId } = task
  const get = async () => (await send('tasks/get', { taskId })).result
  await expect.poll(get).toMatchObject({ status: 'input_required', taskId })
  const [[holdId = '', request] = []] = Object.entries((await get()).inputRequests)
  expect(request).toMatchObject({
    method: 'elicitation/create',
    params: { message: expect.stringContaining('applied') },
  })

  const answer = (content: object) =>
    send('tasks/update', { taskId, inputResponses: { [holdId]: { action: 'accept', content } } })
  expect((await answer({ decision: 'perhaps' })).error).toMatchObject({ data: { code: 'no_decision' } })
  const other = { hold_of_another: APPROVE }
  expect((await send('tasks/update', { taskId, inputResponses: other })).result).toMatchObject({
    resultType: 'complete',
  })
  expect(await get()).toMatchObject({ status: 'input_required' })
  expect((await answer({ decision: 'approve' })).result).toMatchObject({ resultType: 'complete' })
  await expect.poll(get).toMatchObject({
    status: 'completed',
    result: { structuredContent: { run_id: taskId, status: 'completed', result: { final_message: 'Deployed.' } } },
  })
  expect((await answer({ decision: 'approve' })).result).toMatchObject({ resultType: 'complete' })
  expect(await project.effects()).toEqual(['applied'])
  expect((await send('tasks/get', { taskId: 'run_x' })).error).toMatchObject({
    code: -32602,
    data: { code: 'unknown_run' },
  })

  const { stdout } = await project.holdpoint('audit', '--json')
  expect(stdout.match(/hold\.shown/g)).toHaveLength(1)
})

test('a task is cancelled by an operator, and never by a decider', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const ben = await added(project, 'ben', 'decider')
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const { result } = await sendModern(
    server,
    'tools/call',
    { name: 'run_agent', arguments: { prompt: 'deploy' } },
    { capabilities },
  )
  const { taskId } = result
  await openHold(server, taskId)
  const waiting = await sendModern(server, 'tasks/get', { taskId }, { capabilities })
  expect(waiting.result).toMatchObject({ status: 'working', statusMessage: expect.stringContaining('somebody else') })
  const refused = await sendModern(server, 'tasks/cancel', { taskId }, { capabilities, token: ben })
  expect(refused.error).toMatchObject({ data: { code: 'role_not_sufficient' } })
  await sendModern(server, 'tasks/cancel', { taskId }, { capabilities })
  const get = async () => (await sendModern(server, 'tasks/get', { taskId }, { capabilities })).result.status
  await expect.poll(get).toBe('cancelled')
  expect(project.exists('effects.log')).toBe(false)
})

test.each(eras)('%s: a call that waits ends with the token of its caller, and the run goes on', async era => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const client = await mcpClient(server, era, { token: await added(project, 'olga', 'operator') })
  const waits = client.callTool({ name: 'run_agent', arguments: { prompt: 'deploy', timeout_seconds: 3600 } })
  const ended = waits.then(
    () => 'answered',
    ({ message }: Error) => message,
  )
  const begun = async () => (await server.send('/v1/runs')).json.runs
  await expect.poll(begun).toMatchObject([{ status: 'running' }])
  const [{ run_id }] = await begun()
  expect((await project.holdpoint('tokens', 'revoke', 'olga')).exit).toBe(0)
  expect(await ended).toContain('counts no more')
  expect((await server.send(`/v1/runs/${run_id}`)).json).toMatchObject({ status: 'running', termination: null })
  await client.close().catch(() => {})
})

test('a stream that an older client listens to ends with its token', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const token = await added(project, 'vera', 'viewer')
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const headers = { accept: 'application/json, text/event-stream' }
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  const begun = await server.fetch('/mcp', { body, headers, token })
  await begun.body?.cancel()
  const session = { ...headers, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
  const stream = await server.fetch('/mcp', { headers: { ...session, accept: 'text/event-stream' }, token })
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  const read = stream.text()
  await project.holdpoint('tokens', 'revoke', 'vera')
  expect(await read).not.toContain('data: {')
})
