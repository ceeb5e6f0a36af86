/**
 * A draft is revised until somebody is content with it, at most three times. Run it with
 * `holdpoint --agent examples/refine-draft.ts --pause-on-approval "Write a slogan"`, then answer each question with
 * `holdpoint -c CHECKPOINT --answer draft-1="make it shorter"`; "looks good" or "Perfect!" ends it.
 */
import { type AgentDefinition, defineAgent, type Model, type ModelAnswer } from 'holdpoint'
import { meansDone } from './means-done.ts'

const MOST_ROUNDS = 3

/** Stands in for a real one, which would write better: its draft names all that it was told to change. */
const model: Model = {
  id: 'example',
  answer: async ({ messages }) => {
    const answers = messages.filter(message => message.role === 'tool')
    const feedback = answers.map(({ content }) => String(content))
    const last = feedback.at(-1) ?? ''
    if (answers.at(-1)?.is_error) return say(`Nobody said what they think of it: ${draftAfter(feedback.slice(0, -1))}`)
    if (meansDone(last)) return say(`Final: ${draftAfter(feedback.slice(0, -1))}`)
    if (feedback.length >= MOST_ROUNDS) return say(`Final after ${MOST_ROUNDS} rounds: ${draftAfter(feedback)}`)
    return askFor(feedback.length + 1, draftAfter(feedback))
  },
}

function draftAfter(feedback: readonly string[]): string {
  return ['Waiting made easy', ...feedback.map(said => `(${said})`)].join(' ')
}

function askFor(round: number, draft: string): ModelAnswer {
  const args = { question: 'What should be changed?', context: { draft, round, of: MOST_ROUNDS } }
  const call = { id: `draft-${round}`, name: 'ask_human', arguments: JSON.stringify(args), metadata: null }
  return { ...say(''), calls: [call] }
}

function say(text: string): ModelAnswer {
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  return { text, calls: [], usage, finish_reason: 'stop' }
}

const agent: AgentDefinition = defineAgent({
  name: 'writer',
  instructions: 'Write what you are asked for, and revise it until it is right.',
  model,
  tools: ['ask_human'],
})
export default agent
