/** `npm run bench`: what durability costs, as ratios within one run. See docs/benchmarks.md for how to read them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureBatches } from './batches.ts'
import { measureChat } from './chat/chat.ts'
import { measureDecisions } from './decisions.ts'
import { measureFleet } from './fleet/fleet.ts'
import { measureFollowed } from './followed.ts'
import { measureLongHistory } from './long-history.ts'
import { loadMark } from './machine-load.ts'
import { measureNotices } from './notices.ts'
import { measureOpenHolds } from './open-holds.ts'
import { measureOverload } from './overload.ts'
import { measurePage } from './page.ts'
import { measurePages } from './pages.ts'
import { measurePausedTasks } from './paused-tasks.ts'
import { measurePostgres } from './postgres/postgres.ts'
import { measureProcesses } from './processes.ts'
import { measureResume } from './resume.ts'
import { measureRulings } from './rulings.ts'
import { measureServer } from './server.ts'
import { measureSteps } from './steps.ts'
import { printTable, type Row } from './table.ts'
import { measureSupervisor, measureTasks } from './tasks.ts'
import { measureWaiting } from './waiting.ts'
import { measureWorker } from './worker.ts'

const directory = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'))
try {
  const parts: [title: string, measure: (directory: string) => Promise<Row[]>][] = [
    [
      '(a) A step: one model answer, one call, 1 KB result; beside two bare SQLite commits of the same bytes',
      measureSteps,
    ],
    ['(b) Processes, from spawn to exit; beside `node -e 0`', measureProcesses],
    ['(c) A resume within one process: decide, run the call, answer', measureResume],
    ['(d) Steps with calls side by side; beside two bare commits of the same bytes for each step', measureBatches],
    ['(e) A process that holds waiting runs; beside one that holds none', measureWaiting],
    ['(f) From a decision to the start of its call, in one process', measureDecisions],
    ['(g) A page of 50 open holds among 10,000', measurePages],
    ['(h) From an answer to the first line of the tool in a worker process', measureWorker],
    ['(i) 10,000 open holds: look, decide, expire', measureOpenHolds],
    ['(j) A trivial task, from start to `completed`; beside spawning its command', measureTasks],
    ['(k) The process that watches over a task; beside a Node that sleeps', measureSupervisor],
    ['(l) 200 agents as tasks that wait for an approval', measurePausedTasks],
    ['(m) A process that follows threads, for each commit of another process to one of them', measureFollowed],
    ['(n) A server', measureServer],
    ['(o) Notices', measureNotices],
    ['(p) The page in Chromium', measurePage],
    ['(q) Agents in the background', measureFleet],
    ['(r) The chat in a terminal', measureChat],
    ['(s) A store in PostgreSQL', measurePostgres],
    ['(t) A server with 500 followers and 50 decisions a second', measureOverload],
    ['(u) Rulings on commands, under 20 rules that forbid', measureRulings],
    ['(v) A step behind 200,000 tokens of history; beside one behind 2,000', measureLongHistory],
  ]
  const [only] = process.argv.slice(2)
  for (const [title, measure] of parts.filter(([title]) => only === undefined || title.startsWith(`(${only})`))) {
    const mark = await loadMark()
    printTable(title + mark, await measure(directory))
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
