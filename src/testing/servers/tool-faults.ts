/** What providers say of the tools of a request. This code shares nothing with the one that makes requests. */

/** A rule for every schema of a tool, and the words in which a provider refuses one that breaks it. */
interface SchemaRule {
  readonly breaks: (schema: Fields, isTop: boolean) => boolean
  readonly words: (place: string, tool: string) => string
}

type Fields = Readonly<Record<string, unknown>>

/** The rules of one provider. Sources: its own errors, as public reports quote them, and its documentation. */
export interface ToolRules {
  readonly name: RegExp
  readonly nameWords: (index: number) => string
  /** `null`: any number of tools. */
  readonly most: number | null
  /** The list of the tools of a request, as name and schema. */
  readonly toolsOf: (body: Fields) => readonly { readonly name: unknown; readonly schema: unknown }[]
  readonly schema: readonly SchemaRule[]
}

export function toolFaults(body: unknown, { toolsOf, name, nameWords, most, schema: rules }: ToolRules): string[] {
  const tools = toolsOf(isFields(body) ? body : {})
  const tooMany = most !== null && tools.length > most
  const count = `Expected an array with maximum length ${most}, but got an array with length ${tools.length} instead.`
  const names = new Set(tools.map(tool => tool.name))
  return [
    ...(names.size < tools.length ? ['tools: Tool names must be unique.'] : []),
    ...(tooMany ? [`Invalid 'tools': array too long. ${count}`] : []),
    ...tools.flatMap((tool, index) => [
      ...(name.test(String(tool.name)) ? [] : [nameWords(index)]),
      ...schemaFaults(tool.schema, { tool: String(tool.name), place: `tools.${index}`, rules, isTop: true }),
    ]),
  ]
}

interface Walk {
  readonly tool: string
  readonly place: string
  readonly rules: readonly SchemaRule[]
  readonly isTop: boolean
}

function schemaFaults(schema: unknown, walk: Walk): string[] {
  if (!isFields(schema)) return walk.isTop ? [`${walk.place}: the schema of ${walk.tool} is no object`] : []
  const { rules, place, tool, isTop } = walk
  const own = rules.filter(({ breaks }) => breaks(schema, isTop)).map(({ words }) => words(place, tool))
  const inner = Object.entries(schema).flatMap(([key, value]) => innerSchemas(key, value))
  return [
    ...own,
    ...inner.flatMap(([key, child]) => schemaFaults(child, { ...walk, isTop: false, place: `${place}.${key}` })),
  ]
}

function innerSchemas(key: string, value: unknown): (readonly [string, unknown])[] {
  if (['properties', '$defs', 'definitions', 'patternProperties'].includes(key) && isFields(value))
    return Object.entries(value).map(([name, schema]) => [`${key}.${name}`, schema] as const)
  if (!['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems', 'not'].includes(key)) return []
  return [value].flat().map((schema, index) => [`${key}.${index}`, schema] as const)
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

const hasType = ({ type }: Fields, wanted: string): boolean => [type].flat().includes(wanted)

const propertyNames = ({ properties }: Fields): string[] => (isFields(properties) ? Object.keys(properties) : [])

/** The rules that every provider has in some words. */
const INVALID: SchemaRule = {
  breaks: schema => {
    const { type, required, properties, items, exclusiveMinimum, exclusiveMaximum, enum: values } = schema
    const isOdd = type !== undefined && [type].flat().some(each => !TYPES.includes(String(each)))
    return (
      isOdd ||
      (required !== undefined && !Array.isArray(required)) ||
      (properties !== undefined && !isFields(properties)) ||
      (values !== undefined && !(Array.isArray(values) && values.length > 0)) ||
      Array.isArray(items) ||
      typeof exclusiveMinimum === 'boolean' ||
      typeof exclusiveMaximum === 'boolean'
    )
  },
  words: place => `${place}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`,
}

const ENDLESS: SchemaRule = {
  breaks: ({ $ref }) => $ref !== undefined,
  words: place => `${place}.custom.input_schema: the schema has a reference that does not resolve`,
}

const UNIONS = ['oneOf', 'anyOf', 'allOf']

export const ANTHROPIC_TOOLS: ToolRules = {
  name: /^[a-zA-Z0-9_-]{1,128}$/,
  nameWords: index => `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
  most: null,
  // A tool that the provider runs is a type without a schema.
  toolsOf: ({ tools }) =>
    listIn(tools)
      .filter(({ type }) => type === undefined || type === 'custom')
      .map(({ name, input_schema }) => ({ name, schema: input_schema })),
  schema: [
    INVALID,
    ENDLESS,
    {
      breaks: ({ type }, isTop) => isTop && type !== 'object',
      words: place => `${place}.custom.input_schema.type: Field required`,
    },
    {
      breaks: (schema, isTop) => isTop && UNIONS.some(union => union in schema),
      words: place =>
        `${place}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
    },
    {
      breaks: schema => propertyNames(schema).some(name => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
      words: place =>
        `${place}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`,
    },
  ],
}

export const OPENAI_TOOLS: ToolRules = {
  name: /^[a-zA-Z0-9_-]{1,64}$/,
  nameWords: index =>
    `Invalid 'tools[${index}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
  most: 128,
  toolsOf: ({ tools }) =>
    listIn(tools).map(({ function: given }) => {
      const { name, parameters } = isFields(given) ? given : {}
      return { name, schema: parameters }
    }),
  schema: [
    INVALID,
    ENDLESS,
    {
      breaks: ({ type }, isTop) => isTop && type !== 'object',
      words: (_, tool) =>
        `Invalid schema for function '${tool}': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
    },
    {
      breaks: (schema, isTop) => isTop && UNIONS.some(union => union in schema),
      words: (_, tool) =>
        `Invalid schema for function '${tool}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
    },
    {
      breaks: (schema, isTop) => isTop && !isFields(schema['properties']),
      words: (_, tool) => `Invalid schema for function '${tool}': In context=(), object schema missing properties.`,
    },
    {
      breaks: schema => hasType(schema, 'array') && !isFields(schema['items']),
      words: (place, tool) => `Invalid schema for function '${tool}': In context=${place}, array schema missing items.`,
    },
    {
      breaks: ({ pattern }) => typeof pattern === 'string' && /\(\?<?[=!]/.test(pattern),
      words: place => `Invalid JSON schema: regex lookaround is not supported. Found at ${place}.pattern.`,
    },
  ],
}

/** The same rules, for tools that are written flat. */
export const RESPONSES_TOOLS: ToolRules = {
  ...OPENAI_TOOLS,
  nameWords: index =>
    `Invalid 'tools[${index}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
  toolsOf: ({ tools }) =>
    listIn(tools)
      .filter(({ type }) => type === 'function')
      .map(({ name, parameters }) => ({ name, schema: parameters })),
}

const GOOGLE_KEYWORDS = [
  ...['type', 'title', 'description', 'enum', 'format', 'items', 'prefixItems', 'minItems', 'maxItems', 'minimum'],
  ...['maximum', 'anyOf', 'oneOf', 'properties', 'additionalProperties', 'required', 'propertyOrdering'],
]

export const GOOGLE_TOOLS: ToolRules = {
  name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  nameWords: index =>
    `GenerateContentRequest.tools[0].function_declarations[${index}].name: Invalid function name. Must start with a letter or an underscore.`,
  most: null,
  toolsOf: ({ tools }) =>
    listIn(tools).flatMap(({ functionDeclarations }) =>
      listIn(functionDeclarations).map(({ name, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema })),
    ),
  schema: [
    INVALID,
    ENDLESS,
    {
      breaks: ({ type }, isTop) => isTop && type !== 'object',
      words: place => `${place}.parameters: parameters schema should be of type OBJECT`,
    },
    {
      breaks: schema => Object.keys(schema).some(keyword => !GOOGLE_KEYWORDS.includes(keyword)),
      words: place => `Invalid JSON payload received. Unknown name at ${place}: Cannot find field.`,
    },
    {
      breaks: ({ enum: values }) =>
        Array.isArray(values) && values.some(value => value === '' || !['string', 'number'].includes(typeof value)),
      words: place => `${place}.enum[0]: cannot be empty`,
    },
    {
      breaks: ({ type, format }) =>
        type === 'string' && format !== undefined && !['enum', 'date-time'].includes(String(format)),
      words: place => `${place}.format: only 'enum' and 'date-time' are supported for STRING type`,
    },
    {
      breaks: schema => hasType(schema, 'array') && schema['items'] === undefined,
      words: place => `${place}.items: missing field.`,
    },
    {
      breaks: schema => {
        const { required } = schema
        return Array.isArray(required) && required.some(name => !propertyNames(schema).includes(String(name)))
      },
      words: place => `${place}.required[0]: property is not defined`,
    },
  ],
}

function listIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
