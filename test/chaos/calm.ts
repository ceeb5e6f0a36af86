/** After the storm: what was left lying is taken up by documented means alone, until every run is at its end. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Cast } from './cast.ts'
import type { Stage } from './stage.ts'
import type { Violence } from './violence.ts'

const PATIENCE_MS = 240_000

/** What still is not at its end when patience is over; empty if all is. */
export async function comeToRest({
  stage,
  cast,
  violence,
}: {
  stage: Stage
  cast: Cast
  violence: Violence
}): Promise<string[]> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    // Whoever looks settles the tasks that were lost.
    await cast.say(['tasks', '--limit', '100000', '--json'], {})
    for (const hold of cast.openHolds()) await cast.settle(hold)
    for (const { id } of interrupted(stage)) await cast.say(['tasks', 'resume', id, '--json'], {})
    await cast.say(['work', '--once', '--grace', '5', '--json'], {})
    const left = unfinished(stage)
    if (left.length === 0 && violence.victims().length === 0) return []
    if (Date.now() > deadline)
      return [...left, ...violence.victims().map(({ pid, role }) => `process ${pid} of ${role} is still there`)]
    await delay(200)
  }
}

/** Tasks whose process ended before their run did. */
function interrupted(stage: Stage): { id: string }[] {
  return stage.rows(
    "SELECT t.id FROM tasks t JOIN runs r ON r.id = t.subject WHERE t.status IN ('failed', 'paused') AND r.status = 'running'",
  )
}

function unfinished(stage: Stage): string[] {
  const runs = stage.rows<{ id: string; status: string }>("SELECT id, status FROM runs WHERE status <> 'done'")
  const tasks = stage.rows<{ id: string; status: string }>(
    "SELECT id, status FROM tasks WHERE status IN ('pending', 'running', 'paused')",
  )
  return [...runs, ...tasks].map(({ id, status }) => `${id} is still ${status}`)
}
