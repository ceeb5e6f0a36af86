import type pg from 'pg'
import type { Statement } from './recorded-statements.ts'

/** As PostgreSQL explains it. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Total Cost': number
  readonly Plans?: readonly PlanNode[]
}

/** What PostgreSQL would do for a statement. */
export interface Plan {
  /** Tables that it would read from their first row to their last. */
  readonly scanned: readonly string[]
  readonly cost: number
}

/** With these values. */
export async function planOf(client: pg.Client, { text, values }: Statement): Promise<Plan> {
  return asPlan(await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]))
}

/** Of a prepared statement, whatever its values. PostgreSQL takes it if it seems no dearer than those with values. */
export async function genericPlanOf(client: pg.Client, { text }: Statement): Promise<Plan> {
  return asPlan(await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`))
}

function asPlan({ rows }: pg.QueryResult): Plan {
  const root = rows[0]['QUERY PLAN'][0].Plan as PlanNode
  return { scanned: [...new Set(scannedIn(root))], cost: root['Total Cost'] }
}

function scannedIn(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(scannedIn)
  const name = node['Relation Name']
  return node['Node Type'] === 'Seq Scan' && name !== undefined ? [name, ...below] : below
}

/** What a statement read when it was run. */
export interface Reading {
  /** Pages of 8 KB. */
  readonly pages: number
  readonly milliseconds: number
}

/** Runs it. */
export async function readingOf(client: pg.Client, { text, values }: Statement): Promise<Reading> {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values])
  const [{ Plan: root, 'Execution Time': milliseconds }] = rows[0]['QUERY PLAN']
  return { pages: root['Shared Hit Blocks'] + root['Shared Read Blocks'], milliseconds }
}
