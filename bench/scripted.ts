import { defineTool, type Model, type Tool } from 'holdpoint'

/** Answers with `size` calls until `steps` were made, then with a text. */
export function busyModel(steps: number, size = 1): Model {
  return {
    id: 'bench',
    answer: async ({ messages }) => {
      const turn = messages.reduce((count, { role }) => count + (role === 'assistant' ? 1 : 0), 0)
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

const RESULT = 'x'.repeat(1024)

export const work: Tool = defineTool({
  name: 'work',
  description: 'Gives 1 KB.',
  inputSchema: { type: 'object' },
  execute: async () => RESULT,
})
