/** A process of its own: DBOS on the database of its first argument. Started by `dbos-process.ts`. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { now } from './child.ts'

const [url = ''] = process.argv.slice(2)
const ANSWER = 'x'.repeat(400)
const RESULT = 'x'.repeat(1_024)

const stepping = DBOS.registerWorkflow(
  async (steps: number) => {
    const start = performance.now()
    for (let step = 0; step < steps; step += 1) {
      await DBOS.runStep(async () => ANSWER, { name: 'answer' })
      await DBOS.runStep(async () => RESULT, { name: 'call' })
    }
    return (performance.now() - start) / steps
  },
  { name: 'stepping' },
)

const waiting = DBOS.registerWorkflow(
  async () => {
    await DBOS.recv('go', 60)
    process.send?.(now())
  },
  { name: 'waiting' },
)

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false })
await DBOS.launch()
process.on('message', async ([what, value]: [string, number]) => {
  if (what === 'steps') process.send?.(await stepping(value))
  else {
    await DBOS.startWorkflow(waiting, { workflowID: `wait-${value}` })()
    process.send?.('waits')
  }
})
process.send?.('ready')
