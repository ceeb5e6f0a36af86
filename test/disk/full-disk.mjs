/**
 * Acts on a store whose disk can be filled, over the built library: `node full-disk.mjs ACT DIRECTORY`. The store is in
 * `DIRECTORY/disk`, a small file system of its own; effects are lines in `DIRECTORY/effects.log`, which is not on it.
 * Prints what came of the act, as JSON.
 */

import { once } from 'node:events'
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { defineAgent, defineTool, openHoldpoint } from '../../dist/index.js'
import { scriptedModel } from '../../dist/testing/index.js'

const [act, directory] = process.argv.slice(2)
const filler = join(directory, 'disk', 'filler')
const log = join(directory, 'effects.log')

/** Down to the last byte. */
function fill() {
  const file = openSync(filler, 'a')
  for (const size of [4096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch (thrown) {
      if (thrown.code !== 'ENOSPC') throw thrown
    }
  }
  closeSync(file)
}

function makeRoom() {
  rmSync(filler, { force: true })
}

function tool(name, then) {
  return defineTool({
    name,
    inputSchema: { type: 'object' },
    needsApproval: name === 'pay',
    execute: async (_args, context) => {
      appendFileSync(log, `${name}\n`)
      await then?.(context)
      return `${name} done`
    },
  })
}

/** Ends when it is told to. */
const lasting = ({ abortSignal }) => abortSignal.aborted || once(abortSignal, 'abort')

const call = name => ({ id: name, name, args: {} })
const script = act === 'calls' || existsSync(join(directory, 'calls')) ? ['one', 'two', 'three'] : ['pay']
const agent = defineAgent({
  name: 'worker',
  model: scriptedModel([{ calls: script.map(call) }, 'Done.']),
  policy: { default: 'auto' },
  tools: [tool('pay'), tool('one', act === 'calls' ? fill : undefined), tool('two', lasting), tool('three', lasting)],
})

const ana = { decided_by: 'ana', surface: 'test' }

/** Whatever it rejects with, told as data. */
async function outcome(work) {
  try {
    return (await work()) ?? null
  } catch (thrown) {
    return { thrown: thrown.code, message: thrown.message, hint: thrown.hint }
  }
}

async function firstRun(holdpoint) {
  return (await holdpoint.runs())[0] ?? (await holdpoint.start({ agent: 'worker', input: 'go' }))
}

async function openHold(holdpoint) {
  return (await holdpoint.holds({ status: 'open' }))[0]
}

const ACTS = {
  /** Starts a run that waits for an approval. */
  prepare: async holdpoint => (await holdpoint.advance((await firstRun(holdpoint)).id)).status,
  /** Three calls run side by side, and the first of them fills the disk before it ends. */
  calls: async holdpoint => {
    appendFileSync(join(directory, 'calls'), '')
    const { id } = await firstRun(holdpoint)
    return outcome(() => holdpoint.advance(id))
  },
  decide: async holdpoint => {
    const { id } = await openHold(holdpoint)
    return outcome(async () => (await holdpoint.decide(id, { verdict: 'approve', ...ana })).outcome)
  },
  cancel: async holdpoint => {
    const { id } = await firstRun(holdpoint)
    return outcome(async () => (await holdpoint.cancel(id, { by: 'ana' })).outcome)
  },
  send: async holdpoint => {
    const { thread_id } = await firstRun(holdpoint)
    return outcome(async () => (await holdpoint.send(thread_id, { text: 'more' }, { whileWaiting: 'queue' })).outcome)
  },
  /** Answers whatever is asked, until the run is done; what is in doubt happened if the log says so. */
  finish: async holdpoint => {
    const { id } = await firstRun(holdpoint)
    const asked = []
    for (;;) {
      const { status, termination, messages } = await holdpoint.advance(id)
      if (status === 'done') return { asked, termination: termination.type, messages }
      const hold = await openHold(holdpoint)
      asked.push(`${hold.kind} ${hold.call_id}`)
      const happened = existsSync(log) && readFileSync(log, 'utf8').includes(`${hold.call_id}\n`)
      const said = happened ? { verdict: 'respond', value: `${hold.call_id} done` } : { verdict: 'approve' }
      await holdpoint.decide(hold.id, { ...said, ...ana })
    }
  },
}

/** `full:ACT` acts on a full disk, and then once more when there is room again. */
async function perform(holdpoint) {
  if (!act.startsWith('full:')) return ACTS[act](holdpoint)
  fill()
  const full = await ACTS[act.slice(5)](holdpoint)
  makeRoom()
  return { full, again: await ACTS[act.slice(5)](holdpoint) }
}

const result = await outcome(async () => {
  await using holdpoint = await openHoldpoint({
    store: `sqlite:${join(directory, 'disk', 'store.db')}`,
    agents: [agent],
  })
  return await perform(holdpoint)
})
process.stdout.write(`${JSON.stringify(result)}\n`)
