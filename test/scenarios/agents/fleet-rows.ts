/** The rows of background agents, read and tampered with behind the back of the product. */
import { connect } from 'node:net'
import { openDatabase } from '../../open-database.ts'
import { Client } from '../attach/agent-stage.ts'
import { isAlive } from '../processes.ts'
import type { Project } from '../project.ts'
import { pidIn } from '../tasks/task-place.ts'

export interface PresenceRow {
  /** As `Liveness.self` names it. */
  readonly process: string
  readonly endpoint: string
  readonly token: string
  readonly invocation: number
}

export interface AgentRows {
  readonly task: string
  readonly run: string | null
  /** An approval or a question is open. */
  readonly asks: boolean
  readonly presence: PresenceRow | null
}

function fileOf(project: Project): string {
  return project.path('.holdpoint', 'holdpoint.db')
}

function queryRows<Row>(project: Project, sql: string, ...values: string[]): Row[] {
  if (!project.exists('.holdpoint', 'holdpoint.db')) return []
  using database = openDatabase(fileOf(project), { readOnly: true })
  // A process that was killed at the first write of all left a file without tables.
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tasks'").get()) return []
  return database.prepare(sql).all(...values) as unknown as Row[]
}

/** Of the only agent; `null` before there is one. */
export function rowsOf(project: Project): AgentRows | null {
  const [task] = queryRows<{ id: string; status: string; subject: string }>(
    project,
    'SELECT id, status, subject FROM tasks',
  )
  if (!task) return null
  const [run] = queryRows<{ status: string }>(project, 'SELECT status FROM runs WHERE id = ?', task.subject)
  const open = queryRows<{ kind: string }>(
    project,
    "SELECT kind FROM holds WHERE status = 'open' AND run_id = ?",
    task.subject,
  )
  const [presence] = queryRows<PresenceRow>(project, 'SELECT * FROM presences')
  return {
    ...{ task: task.status, run: run?.status ?? null },
    asks: open.some(({ kind }) => kind !== 'input'),
    presence: presence ?? null,
  }
}

/** A connection to the process of the only agent; `null` if there is none. */
export async function attached(project: Project, actor = 'ana'): Promise<Client | null> {
  const { presence } = rowsOf(project) ?? {}
  if (!presence?.endpoint || !isAlive(pidIn(presence.process))) return null
  const client = new Client(connect(presence.endpoint))
  const { token } = presence
  client.send({ type: 'hello', protocol: 1, token, role: 'writer', actor, since: 0 })
  return client
}

/** Each column that names a process. */
const NAMED = [
  ['presences', 'process'],
  ['daemon', 'process'],
  ['task_invocations', 'supervisor'],
  ['task_invocations', 'process'],
  ['runs', 'lease_owner'],
] as const

/** `null`: it stays as it is. */
export function renameProcesses(project: Project, renamed: (name: string) => string | null): void {
  using database = openDatabase(fileOf(project))
  for (const [table, column] of NAMED)
    for (const row of database.prepare(`SELECT rowid, ${column} AS name FROM ${table}`).all()) {
      const name = row['name'] === null ? null : renamed(String(row['name']))
      if (name !== null)
        database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(name, Number(row['rowid']))
    }
}

/** The machine was started again since: the names of processes are of an earlier boot. */
export function ofEarlierBoot(name: string): string | null {
  const [, before, after] = /^([^/]*\/[0-9a-f]{8}-)[0-9a-f]{8}(-.*)$/.exec(name) ?? []
  return before === undefined ? null : `${before}00000000${after}`
}

/** Another process got its id since. */
export function recycledAs(pid: number): (name: string) => string | null {
  return name => {
    const [place, , ...rest] = name.split(':')
    return place && rest.length > 0 ? [place, pid, ...rest].join(':') : null
  }
}
