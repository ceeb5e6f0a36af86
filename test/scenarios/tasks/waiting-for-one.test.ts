import { expect, test } from 'vitest'
import { overStdio } from '../mcp/mcp-process.ts'
import { aProject } from '../project.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
type Document = any

test('one task is waited for by its id alone, and its details name the pause as the document of a run does', async () => {
  const script = [{ calls: [{ id: 'q1', name: 'ask_human', args: { question: 'Which region?' } }] }, 'Done.']
  await using project = await aProject({ script })
  await using connected = await overStdio(project, 'latest')
  const use = async (name: string, args: Record<string, unknown>): Promise<Document> =>
    (await connected.client.callTool({ name, arguments: args })).structuredContent
  const { task_id } = await use('subagent_task', { prompt: 'go' })
  expect(await use('wait_for_tasks', { task_ids: task_id })).toMatchObject({ tasks: [{ task_id, status: 'paused' }] })

  const details = await use('get_task_details', { task_id })
  const { checkpoint_id, pause_reason, pause } = details
  const document = (await project.holdpoint('-c', checkpoint_id, '-o', 'json')).json
  expect(pause_reason).toEqual(document.pause_reason)
  expect(pause).toEqual({ checkpoint_id, resumable: true, ready: false, note: null, agent_message: 'Which region?' })
  expect(document.agent_message).toBe('Which region?')
  expect((await use('list_holds', {})).holds).toMatchObject([{ kind: 'question', checkpoint_id }])
  const text = (await project.holdpoint('tasks', 'show', task_id)).stdout
  expect(text.split('Which region?')).toHaveLength(2)

  await use('resume_task', { task_id, prompt: 'eu' })
  expect(await use('wait_for_tasks', { task_ids: task_id })).toMatchObject({ tasks: [{ status: 'completed' }] })
  expect(await use('get_task_details', { task_id })).toMatchObject({ pause_reason: null, pause: null })
})
