/** The metrics, by name. Each label has few values: a label that a client or a file chooses is bounded. */
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'

type Prometheus = typeof import('prom-client')

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** People decide within seconds, or after a weekend. */
const TIMES_TO_DECIDE = [1, 5, 15, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY]
const REQUEST_TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export interface Instruments {
  readonly holdsOpen: Gauge
  readonly oldestHold: Gauge
  readonly runs: Gauge
  readonly leases: Gauge
  readonly streams: Gauge
  readonly feedLag: Gauge
  readonly holdsOpened: Counter
  readonly decisions: Counter
  readonly refusals: Counter
  readonly timeToDecide: Histogram
  readonly runsStarted: Counter
  readonly runsFinished: Counter
  readonly steps: Counter
  readonly tokens: Counter
  readonly toolCalls: Counter
  readonly modelErrors: Counter
  readonly requests: Counter
  readonly requestTimes: Histogram
  readonly buildInfo: Gauge
}

export function makeInstruments({ Counter, Gauge, Histogram }: Prometheus, registry: Registry): Instruments {
  const asked = (name: string, help: string, labelNames: string[]) => ({
    name: `holdpoint_${name}`,
    help,
    labelNames,
    registers: [registry],
  })
  const gauge = (...metric: Parameters<typeof asked>) => new Gauge(asked(...metric))
  const counter = (...metric: Parameters<typeof asked>) => new Counter(asked(...metric))
  const histogram = (buckets: number[], ...metric: Parameters<typeof asked>) =>
    new Histogram({ ...asked(...metric), buckets })
  return {
    holdsOpen: gauge('holds_open', 'Holds that wait for a decision.', ['kind']),
    oldestHold: gauge('oldest_open_hold_age_seconds', 'How long the oldest open hold waits by now.', ['kind']),
    runs: gauge('runs', 'Runs that are not done.', ['status']),
    leases: gauge('leases', 'Leases of running runs: held, or expired because their owner stopped.', ['state']),
    streams: gauge('streams', 'Event streams that are open at this server.', []),
    feedLag: gauge('feed_lag_records', 'Records that a reader of the feed is behind.', ['reader']),
    holdsOpened: counter('holds_opened_total', 'Holds that were opened.', ['kind']),
    decisions: counter('decisions_total', 'Decisions that were recorded, deadlines included.', ['verdict', 'by']),
    refusals: counter('decisions_refused_total', 'Decisions that were refused.', ['code']),
    timeToDecide: histogram(TIMES_TO_DECIDE, 'time_to_decide_seconds', 'From the opening of a hold to its end.', [
      'kind',
    ]),
    runsStarted: counter('runs_started_total', 'Runs that were started.', []),
    runsFinished: counter('runs_finished_total', 'Runs that ended.', ['termination']),
    steps: counter('steps_total', 'Answers of models that were journalled.', []),
    tokens: counter('tokens_total', 'Tokens, as providers count them.', ['type', 'model']),
    toolCalls: counter('tool_calls_total', 'Tool calls that ended.', ['status']),
    modelErrors: counter('model_errors_total', 'Failures of models: those that ended a run, and retries here.', [
      'code',
    ]),
    requests: counter('http_requests_total', 'Requests that this server answered.', ['method', 'route', 'status']),
    requestTimes: histogram(
      REQUEST_TIMES,
      'http_request_duration_seconds',
      'From a request to the head of its answer.',
      ['route'],
    ),
    buildInfo: gauge('build_info', 'The version, as a label; always 1.', ['version']),
  }
}
