/**
 * Three questions, one after the other: free text, a choice, and a number that must fit a schema. Run it with
 * `holdpoint --agent examples/set-up-service.ts --pause-on-approval "Set up a service"`, then answer each one with
 * `holdpoint -c CHECKPOINT --answer name=shop`, `--answer region=eu`, `--answer replicas=3`.
 */
import { type AgentDefinition, defineAgent, type Json, type Model, type ModelAnswer } from 'holdpoint'

const QUESTIONS: readonly { readonly id: string; readonly args: { readonly [key: string]: Json } }[] = [
  { id: 'name', args: { question: 'What is the service called?' } },
  { id: 'region', args: { question: 'Where shall it run?', choices: ['eu', 'us'] } },
  {
    id: 'replicas',
    args: { question: 'How many replicas?', schema: { type: 'integer', minimum: 1, maximum: 9 } },
  },
]

/** Stands in for a real one: asks what it does not know yet, then says what it would set up. */
const model: Model = {
  id: 'example',
  answer: async ({ messages }) => {
    const answers = messages.filter(message => message.role === 'tool')
    if (answers.some(({ is_error }) => is_error)) return say('Nothing was set up: I cannot do without an answer.')
    const question = QUESTIONS[answers.length]
    if (!question) return say(`Set up ${JSON.stringify(answers.map(({ content }) => content))}.`)
    const { id, args } = question
    return { ...say(''), calls: [{ id, name: 'ask_human', arguments: JSON.stringify(args), metadata: null }] }
  },
}

function say(text: string): ModelAnswer {
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  return { text, calls: [], usage, finish_reason: 'stop' }
}

const agent: AgentDefinition = defineAgent({
  name: 'operator',
  instructions: 'Set up services. Ask what you do not know.',
  model,
  tools: ['ask_human'],
})
export default agent
