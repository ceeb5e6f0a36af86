/** A process of its own: graphile-worker alone on the database of its first argument. Started by `answers.ts`. */
import { Logger, run } from 'graphile-worker'
import { now } from './child.ts'

const [connectionString = '', schema = ''] = process.argv.slice(2)
await run({
  connectionString,
  schema,
  concurrency: 4,
  parsedCronItems: [],
  logger: new Logger(() => () => {}),
  taskList: { go: () => void process.send?.(now()) },
})
process.send?.('ready')
