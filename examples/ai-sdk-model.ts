/**
 * Any language model of the AI SDK in place of a name, with its settings. Run it with `node examples/ai-sdk-model.ts`
 * after `npm run build`. The model below stands in for a real one, such as `bedrock('anthropic.claude-sonnet-4-5')`.
 */
import { type AiSdkModel, defineAgent, openHoldpoint } from 'holdpoint'

const model: AiSdkModel = {
  specificationVersion: 'v4',
  provider: 'example',
  modelId: 'echo',
  doStream: async ({ prompt, temperature }) => ({
    stream: ReadableStream.from([
      { type: 'text-delta', id: '1', delta: `${prompt.at(-1).content[0].text}, at ${temperature}` },
      {
        type: 'finish',
        finishReason: { unified: 'stop' },
        usage: { inputTokens: { total: 3 }, outputTokens: { total: 3 } },
      },
    ]),
  }),
}

const agent = defineAgent({
  name: 'echo',
  model,
  temperature: 0.2,
  maxOutputTokens: 500,
  plugins: [
    // The second question is asked at another temperature, and could be asked of another `model`.
    { name: 'warmer', hooks: { beforeInference: ({ messages }) => (messages.length > 1 ? { temperature: 1 } : {}) } },
  ],
})

const store = 'memory:'
await using holdpoint = await openHoldpoint({ store, agents: [agent] })
const run = await holdpoint.start({ agent: 'echo', input: 'Hello' })
const questions = ['Hello again']
const view = await holdpoint.advance(run.id, {
  inputProvider: async ({ answer }) => {
    console.log(answer)
    const text = questions.shift()
    return text === undefined ? null : { text }
  },
})
if ('profile' in view) console.log(view.profile.agent_model, view.usage.total_tokens)
