/** The highlighter and its languages: a file of its own, loaded with the first code that has colours. */

import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import css from 'highlight.js/lib/languages/css'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import type { Colour, ColourSpan } from './colour-span.ts'
import type { Language } from './language-of.ts'

const GRAMMARS = { bash, c, css, dockerfile, go, ini, java, json, python, ruby, rust, sql, typescript, xml, yaml }
const lowlight = createLowlight(GRAMMARS satisfies Record<Language, unknown>)

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

/** The coloured places of a text, in order. None if the highlighter read another text than this one. */
export function highlight(text: string, language: Language): readonly ColourSpan[] {
  const spans: ColourSpan[] = []
  let at = 0
  for (const { value, colour } of piecesOf(lowlight.highlight(language, text).children, null)) {
    if (colour !== null) spans.push({ from: at, to: at + value.length, colour })
    at += value.length
  }
  return at === text.length ? spans : []
}

interface Piece {
  readonly value: string
  readonly colour: Colour | null
}

function piecesOf(nodes: readonly Node[], around: Colour | null): readonly Piece[] {
  return nodes.flatMap(node => {
    if (node.type === 'text') return [{ value: node.value, colour: around }]
    if (node.type !== 'element') return []
    return piecesOf(node.children as readonly Node[], colourOf(node.properties.className, around))
  })
}

// biome-ignore format: the table is easier to read
const COLOURS: Readonly<Record<string, Colour>> = {
  keyword: 'keyword', 'meta-keyword': 'keyword', 'selector-tag': 'keyword', doctag: 'keyword',
  string: 'string', regexp: 'string', 'template-tag': 'string', char: 'string', link: 'string',
  number: 'number', literal: 'number', symbol: 'number', bullet: 'number',
  comment: 'comment', quote: 'comment', meta: 'comment',
  title: 'name', type: 'name', built_in: 'name', name: 'name', attr: 'name', attribute: 'name', section: 'name',
  'selector-class': 'name', 'selector-id': 'name', variable: 'name',
}

/** `subst` is code within a text: it has none of the colour around it. */
function colourOf(classes: unknown, around: Colour | null): Colour | null {
  const [first] = Array.isArray(classes) ? classes : []
  const name = String(first).replace(/^hljs-/, '')
  return name === 'subst' ? null : (COLOURS[name] ?? around)
}
