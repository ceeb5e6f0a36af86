/** Hands finished spans to the official exporter: OTLP over HTTP, as JSON. */
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { FinishedSpan } from './span.ts'

type ReadableSpan = Parameters<OTLPTraceExporter['export']>[0][number]

/** Of a collector: a request with more may be too large for it. */
const MOST_SPANS = 200
const KINDS: Record<FinishedSpan['kind'], number> = { internal: 0, client: 2 }
const UNSET = 0
const ERROR = 2
const SAMPLED = 1

export interface ExporterOptions {
  /** The address of the traces, in full. */
  readonly url: string
  readonly version: string
  /** Attributes of this service, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>
}

export interface SpanExporter {
  /** Resolves when the collector has them. @throws Error with the `code` of its answer, if it gave one. */
  send(spans: readonly FinishedSpan[]): Promise<void>
  close(): Promise<void>
}

export async function openOtlpExporter({ url, version, resource }: ExporterOptions): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const exporter = new OTLPTraceExporter({ url })
  const scope = { name: 'holdpoint', version }
  const send = (spans: readonly FinishedSpan[]) =>
    new Promise<void>((resolve, reject) => {
      const readable = spans.map(span => readableSpan(span, { scope, resource }))
      exporter.export(readable, ({ code, error }) =>
        code === 0 ? resolve() : reject(error ?? new TypeError('refused')),
      )
    })
  return {
    send: async spans => {
      for (let at = 0; at < spans.length; at += MOST_SPANS) await send(spans.slice(at, at + MOST_SPANS))
    },
    close: () => exporter.shutdown(),
  }
}

interface Origin {
  readonly scope: ReadableSpan['instrumentationScope']
  readonly resource: ExporterOptions['resource']
}

function readableSpan(span: FinishedSpan, { scope, resource }: Origin): ReadableSpan {
  const { name, kind, trace_id: traceId, span_id: spanId, parent_id, start, end, error, attributes } = span
  const context = { traceId, traceFlags: SAMPLED }
  return {
    name,
    kind: KINDS[kind],
    spanContext: () => ({ ...context, spanId }),
    ...(parent_id !== null && { parentSpanContext: { ...context, spanId: parent_id } }),
    startTime: hrTime(Date.parse(start)),
    endTime: hrTime(Date.parse(end)),
    duration: hrTime(Date.parse(end) - Date.parse(start)),
    status: { code: error === null ? UNSET : ERROR },
    attributes: { ...attributes } as ReadableSpan['attributes'],
    ...{ links: [], events: [], ended: true },
    resource: {
      attributes: resource,
      getRawAttributes: () => Object.entries(resource),
    } as unknown as ReadableSpan['resource'],
    instrumentationScope: scope,
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): [number, number] {
  return [Math.trunc(ms / 1000), (ms % 1000) * 1_000_000]
}
