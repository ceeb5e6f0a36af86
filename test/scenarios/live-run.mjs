/**
 * A process that advances the run RUN in the store STORE, or follows the thread THREAD and prints each event as a line.
 * Its model says one word at a time: each when its file `word-N` is there, and then it writes `said-N`. It ends its answer
 * when no file `wait` is there.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineAgent, openHoldpoint } from '../../dist/index.js'

const { STORE, RUN, THREAD, PLACE } = process.env
const WORDS = ['I ', 'am ', 'almost ', 'done.']

const model = {
  id: 'test/slow',
  async answer({ onPart, signal }) {
    for (const [index, delta] of WORDS.entries()) {
      while (!existsSync(join(PLACE, `word-${index}`))) await delay(5, undefined, { signal })
      onPart({ kind: 'text.delta', data: { id: '0', delta } })
      writeFileSync(join(PLACE, `said-${index}`), '')
    }
    while (existsSync(join(PLACE, 'wait'))) await delay(5, undefined, { signal })
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
    return { text: WORDS.join(''), calls: [], usage, finish_reason: 'stop' }
  },
}

await using holdpoint = await openHoldpoint({ store: STORE, agents: [defineAgent({ name: 'worker', model })] })
if (RUN) console.log(JSON.stringify({ status: (await holdpoint.advance(RUN)).status }))
else
  for await (const event of holdpoint.follow(THREAD)) {
    console.log(JSON.stringify(event))
    if (event.kind === 'run.finished') break
  }
