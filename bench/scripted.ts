import { defineTool, type Message, type Model, type Tool } from 'holdpoint'

/** Answers with `size` calls until `steps` were made, then with a text. */
export function busyModel(steps: number, size = 1): Model {
  return {
    id: 'bench',
    answer: async ({ messages }) => {
      const turn = turnAfter(messages.at(-1))
      const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 }
      if (turn >= steps) return { text: 'done', calls: [], usage, finish_reason: 'stop' }
      const calls = Array.from({ length: size }, (_, index) => ({
        id: `call_${turn}_${index}`,
        name: 'work',
        arguments: `{"turn":${turn}}`,
        metadata: null,
      }))
      return { text: '', calls, usage, finish_reason: 'tool-calls' }
    },
  }
}

/** By the id of the call that was answered last: to count the messages would cost more in a long run. */
function turnAfter(last: Message | undefined): number {
  return last?.role === 'tool' ? Number(/^call_(\d+)/.exec(last.tool_call_id)?.[1]) + 1 : 0
}

const RESULT = 'x'.repeat(1024)

export const work: Tool = defineTool({
  name: 'work',
  description: 'Gives 1 KB.',
  inputSchema: { type: 'object' },
  execute: async () => RESULT,
})
