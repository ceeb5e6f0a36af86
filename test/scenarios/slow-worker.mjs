/**
 * A process that advances the run RUN in the store STORE once and prints what became of it. Its tools `slow` and `again`
 * (which is idempotent) write `begun TOOL CALL KEY` to `effects.log` and then take for ever, until they are told to stop:
 * then they write `stopped TOOL CALL`. With QUICK they end at once. With DEAF they end once there is a file `go`, and the
 * process lives on meanwhile, although SIGTERM tells it to let go of the run.
 */
import { once } from 'node:events'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineAgent, defineTool, openHoldpoint } from '../../dist/index.js'
import { handClock, scriptedModel } from '../../dist/testing/index.js'

const { STORE, RUN, SCRIPT, QUICK, DEAF } = process.env
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
/** With DEAF, so that the grace of a tool that hears no stop is over at once. */
const clock = DEAF ? handClock() : undefined
if (clock) setInterval(() => stop.signal.aborted && clock.advance(1_000), 10).unref()

function tool(name, idempotent) {
  return defineTool({
    name,
    inputSchema: { type: 'object' },
    needsApproval: false,
    idempotent,
    async execute(_args, { toolCallId, idempotencyKey, abortSignal, workdir }) {
      const write = line => appendFileSync(join(workdir, 'effects.log'), `${line}\n`)
      write(`begun ${name} ${toolCallId} ${idempotencyKey}`)
      if (QUICK) return 'done'
      if (DEAF) {
        while (!existsSync(join(workdir, 'go'))) await delay(10)
        write(`ended ${name} ${toolCallId}`)
        return 'done'
      }
      const alive = setInterval(() => {}, 1000)
      await once(abortSignal, 'abort')
      clearInterval(alive)
      write(`stopped ${name} ${toolCallId}`)
      throw abortSignal.reason
    },
  })
}

const agent = defineAgent({
  name: 'worker',
  model: scriptedModel(JSON.parse(SCRIPT)),
  tools: [tool('slow', false), tool('again', true)],
})
await using holdpoint = await openHoldpoint({ store: `sqlite:${STORE}`, agents: [agent], ...(clock && { clock }) })
try {
  const { status, termination, owner } = await holdpoint.advance(RUN, { signal: stop.signal })
  console.log(JSON.stringify({ status, termination, owner }))
} catch (thrown) {
  console.log(JSON.stringify({ thrown: thrown.code }))
}
