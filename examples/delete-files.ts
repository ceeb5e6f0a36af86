/**
 * Files are deleted only after a person approved exactly these. Run it with
 * `holdpoint --agent examples/delete-files.ts --pause-on-approval "Delete old.log and older.log"`, then decide with
 * `holdpoint -c CHECKPOINT --approve request`, `--reject request --reason WHY`, or `--edit request=JSON` for fewer files.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentDefinition, defineAgent, defineTool, type Json, type Model, type ModelAnswer } from 'holdpoint'
import { z } from 'zod'

const ACTION = 'delete files'

/** Nothing but what was approved: the same action with the same list, once. */
const deleteFiles = defineTool({
  name: 'delete_files',
  description: `Deletes files for good. Ask for approval first: action "${ACTION}", details { files }.`,
  inputSchema: z.object({ files: z.array(z.string().regex(/^[\w-][\w.-]*$/)).min(1) }),
  destructive: true,
  demandsApproval: ({ files }) => ({ action: ACTION, details: { files } }),
  execute: async ({ files }, { workdir }) => {
    for (const file of files) await rm(join(workdir, file), { force: true })
    return `Deleted ${files.join(', ')}.`
  },
})

const request = z.object({ details: z.object({ files: z.array(z.string()) }) })
const edited = z.object({ edited_arguments: request })

/** Stands in for a real one: asks, deletes what was approved, says what came of it. */
const model: Model = {
  id: 'example',
  answer: async ({ messages }) => {
    const [asked, last] = messages.slice(-2)
    if (last?.role !== 'tool' || asked?.role !== 'assistant') return ask(messages.at(-1)?.content ?? '')
    if (last.is_error) return say(`Nothing was deleted. ${String(last.content)}`)
    if (last.tool_name === deleteFiles.name) return say(String(last.content))
    const { data } = edited.safeParse(last.content)
    const { details } = data?.edited_arguments ?? request.parse(asked.tool_calls[0]?.arguments)
    return call('delete', deleteFiles.name, details)
  },
}

function ask(prompt: Json): ModelAnswer {
  const files = String(prompt).match(/[\w-]+\.\w+/g) ?? []
  return call('request', 'request_approval', { action: ACTION, reason: 'You asked for it.', details: { files } })
}

function call(id: string, name: string, args: Json): ModelAnswer {
  return { ...say(''), calls: [{ id, name, arguments: JSON.stringify(args), metadata: null }] }
}

function say(text: string): ModelAnswer {
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  return { text, calls: [], usage, finish_reason: 'stop' }
}

const agent: AgentDefinition = defineAgent({
  name: 'cleaner',
  instructions: 'Delete what you are asked to delete, once it is approved.',
  model,
  tools: ['request_approval', deleteFiles],
})
export default agent
