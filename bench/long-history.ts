import { join } from 'node:path'
import { defineAgent, type Holdpoint, type Model, openHoldpoint } from 'holdpoint'
import { work } from './scripted.ts'
import { median, type Row } from './table.ts'

const ROUNDS = 15
/** About as many tokens as a step adds: one call and its result of 1 KB. */
const STEP_TOKENS = 280
/** Steps of one round. In a new session they have 2,000 tokens before them at the median. */
const STEPS = 14
/** The long history has 200,000 at the median of its rounds. */
const LONG = Math.ceil(200_000 / STEP_TOKENS) - (ROUNDS * STEPS) / 2
const USAGE = { input_tokens: 100, output_tokens: 20, total_tokens: 120 }

/** A step behind a short history and behind a long one, in turns: a slow moment of the machine hits both. */
export async function measureLongHistory(directory: string): Promise<Row[]> {
  const steps = new TimedSteps()
  const agent = defineAgent({
    name: 'busy',
    model: steps.model,
    stop: [{ type: 'max_rounds', rounds: LONG + STEPS }],
    tools: [work],
    policy: { default: 'auto' },
    pauseOn: [],
    context: { window: 1_000_000 },
  })
  await using holdpoint = await openHoldpoint({ store: `sqlite:${join(directory, 'history.db')}`, agents: [agent] })
  const { thread_id } = await steps.take(holdpoint, LONG)
  const short: number[] = []
  const long: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    short.push(...(await steps.take(holdpoint, STEPS)).times)
    long.push(...(await steps.take(holdpoint, STEPS, thread_id)).times)
  }
  const [behindShort, behindLong] = [median(short), median(long)]
  return [
    { figure: 'ms of a step behind 2,000 tokens', value: behindShort, wanted: '' },
    { figure: 'ms of a step behind 200,000 tokens', value: behindLong, wanted: '' },
    { figure: 'the ratio', value: behindLong / behindShort, wanted: '1.3' },
  ]
}

interface Taken {
  readonly thread_id: string
  /** Milliseconds of each step, without the time of the model. */
  readonly times: readonly number[]
}

/** Steps from the answer of the model to its next request. */
class TimedSteps {
  #left = 0
  #calls = 0
  #answered = 0
  #times: number[] = []

  readonly model: Model = {
    id: 'bench',
    answer: async () => {
      if (this.#answered > 0) this.#times.push(performance.now() - this.#answered)
      this.#answered = 0
      if (this.#left === 0) return { text: 'done', calls: [], usage: USAGE, finish_reason: 'stop' }
      this.#left -= 1
      this.#calls += 1
      const call = { id: `call_${this.#calls}`, name: 'work', arguments: '{}', metadata: null }
      this.#answered = performance.now()
      return { text: '', calls: [call], usage: USAGE, finish_reason: 'tool-calls' }
    },
  }

  async take(holdpoint: Holdpoint, steps: number, threadId: string | null = null): Promise<Taken> {
    this.#left = steps
    this.#times = []
    const { run_id, thread_id } = threadId === null ? await start(holdpoint) : await goOn(holdpoint, threadId)
    const state = await holdpoint.advance(run_id)
    if (state.status !== 'done' || this.#times.length !== steps)
      throw new Error(`the run of ${steps} steps did not finish`)
    return { thread_id, times: this.#times }
  }
}

async function start(holdpoint: Holdpoint) {
  const { id: run_id, thread_id } = await holdpoint.start({ agent: 'busy', input: 'go' })
  return { run_id, thread_id }
}

async function goOn(holdpoint: Holdpoint, thread_id: string) {
  const { run_id } = await holdpoint.send(thread_id, { text: 'go on', author: 'ana' })
  return { run_id, thread_id }
}
