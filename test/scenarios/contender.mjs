/**
 * One of several processes that contend for the same store, over the built library. Forked with a directory, and told
 * what to do by messages `[act, ...arguments]`; answers each with the act's result, so that its parent can give several
 * of them the same signal at the same time. An effect is a line in the directory's `effects.log`.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineAgent, defineTool, openHoldpoint } from '../../dist/index.js'

const [directory, who] = process.argv.slice(2)

function tool(name, options) {
  return defineTool({
    name,
    inputSchema: { type: 'object' },
    ...options,
    execute: async (_args, { toolCallId, idempotencyKey }) => {
      appendFileSync(join(directory, 'effects.log'), `${idempotencyKey}\n`)
      await delay(1)
      return `${toolCallId} done`
    },
  })
}

/** Its input says which calls it makes in its only step: `held 2, plain 3`. */
const model = {
  id: 'contending',
  answer: async ({ messages }) => {
    const asked = messages.length > 1 ? [] : messages[0].content.split(', ')
    const calls = asked.flatMap(each => {
      const [name, count] = each.split(' ')
      return Array.from({ length: Number(count) }, (_, index) => ({
        id: `${name}_${index + 1}`,
        name,
        arguments: '{}',
        metadata: null,
      }))
    })
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
    return { text: calls.length > 0 ? '' : 'Done.', calls, usage, finish_reason: 'stop' }
  },
}

const holdpoint = await openHoldpoint({
  store: `sqlite:${join(directory, 'store.db')}`,
  directory,
  agents: [
    defineAgent({
      name: 'worker',
      model,
      policy: { default: 'auto' },
      tools: [tool('held', { needsApproval: true }), tool('plain')],
    }),
  ],
})

function asTold({ outcome, winner, error, decision }) {
  return { outcome, winner: winner ?? decision ?? null, code: error?.code ?? null }
}

async function decide(hold, verdict, decision_id, decided_by = who) {
  return asTold(await holdpoint.decide(hold, { verdict, decision_id, decided_by, surface: 'race' }))
}

const ACTS = {
  /** Starts runs with this input and advances them until they wait; the ids of run, thread and holds of each. */
  prepare: async (input, count) => {
    const prepared = []
    for (let n = 0; n < count; n += 1) {
      const { id, thread_id } = await holdpoint.start({ agent: 'worker', input })
      const { holds } = await holdpoint.advance(id)
      prepared.push({ id, thread_id, holds: holds.map(hold => hold.id) })
    }
    return prepared
  },
  start: async input => holdpoint.start({ agent: 'worker', input }),
  decide,
  /** Many submitters at once, two of them for each decision id; then all of them go on with the run. */
  submit: async (hold, runId, count) => {
    const receipts = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const name = `${who}-${Math.floor(index / 2)}`
        return decide(hold, 'approve', name, name)
      }),
    )
    await ACTS.finish(runId)
    return receipts
  },
  approveAndAdvance: async (hold, runId) => {
    const receipt = await decide(hold, 'approve')
    const { status } = await holdpoint.advance(runId)
    return { ...receipt, status }
  },
  cancel: async runId => (await holdpoint.cancel(runId, { by: who })).outcome,
  /** Advances a run again and again until it is done; how often somebody else was at it. */
  finish: async runId => {
    for (let busy = 0; ; ) {
      const { status } = await holdpoint.advance(runId)
      if (status === 'done') return busy
      if (status === 'busy') busy += 1
      await delay(1)
    }
  },
  /** Approves whatever is held, until the run is done. */
  approveAll: async runId => {
    const outcomes = []
    while ((await holdpoint.run(runId)).status !== 'done') {
      for (const { id } of await holdpoint.holds({ run_id: runId, status: 'open' })) {
        outcomes.push((await decide(id, 'approve')).outcome)
      }
      await delay(1)
    }
    return outcomes
  },
  leave: async () => {
    await holdpoint[Symbol.asyncDispose]()
    setImmediate(() => process.disconnect())
  },
}

process.on('message', async ([act, ...args]) => {
  try {
    process.send({ result: (await ACTS[act](...args)) ?? null })
  } catch (thrown) {
    process.send({ failure: thrown.stack })
  }
})
process.send({ result: 'ready' })
