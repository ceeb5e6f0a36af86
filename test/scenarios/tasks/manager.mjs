/** A process that starts the tasks it is given (JSON) on a store, says their ids, and stays: to be killed. */

import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import { systemIds } from '../../../src/hosts/process/system-ids.ts'
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { ProcessTasks } from '../../../src/tasks/process-tasks.ts'
import { processFamilies } from '../../../src/tools/run-command/process-family.ts'

const [file, directory, supervisor, starts] = process.argv.slice(2)
const store = await openSqliteStore(file, systemClock)
const tasks = new ProcessTasks({
  registry: store.tasks,
  hosts: store.hosts,
  clock: systemClock,
  ids: systemIds,
  names: processLiveness(),
  families: processFamilies,
  directory,
  supervisor: [process.execPath, supervisor, ...store.location.supervisorHandOver.argv],
  environment: process.env,
})
for (const start of JSON.parse(starts)) console.log((await tasks.start(start)).id)
setInterval(() => {}, 1000)
