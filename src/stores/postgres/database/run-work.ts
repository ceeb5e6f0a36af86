import type { Result, Statement, Work } from '../../sql/driver/work.ts'
import type { Query, Statements } from './statements.ts'

type Runner = Query & Partial<Pick<Statements, 'send'>>

/** With the pool, each statement is a transaction of its own. */
export async function runWork<T>(query: Runner, work: Work<T>): Promise<T> {
  let step = work.next()
  while (!step.done) step = await answered(query, work, step.value)
  return step.value
}

async function answered<T>(
  query: Runner,
  work: Work<T>,
  statements: readonly Statement[],
): Promise<ReturnType<Work<T>['next']>> {
  let results: readonly Result[]
  try {
    // A statement that is refused at once must not leave the failure of another one unheard.
    results = await Promise.all(statements.map(async statement => resultOf(query, statement)))
  } catch (thrown) {
    return work.throw(thrown)
  }
  return work.next(results)
}

const NOTHING: Result = { rows: [], count: 0 }

function resultOf(query: Runner, { sql, values, wants }: Statement): Result | Promise<Result> {
  if (wants !== 'nothing' || !query.send) return query(sql, values)
  query.send(sql, values)
  return NOTHING
}
