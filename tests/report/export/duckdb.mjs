// SPDX-License-Identifier: MIT
// duckdb.mjs: reads a job as JSON from standard input, and prints the answers of DuckDB.
// {tables: {name: {file, columns: {name: type}}}, views: [SQL], questions: [SQL]}
import {readFileSync} from "node:fs";
import {DuckDBInstance} from "@duckdb/node-api";

const job = JSON.parse(readFileSync(0, "utf8"));
const duck = await (await DuckDBInstance.create(":memory:")).connect();
const quoted = text => `'${text.replaceAll("'", "''")}'`;

for (const [name, {file, columns}] of Object.entries(job.tables)) {
	const types = Object.entries(columns).map(([column, type]) =>
		`${quoted(column)}: ${quoted(type)}`).join(", ");
	await duck.run(`CREATE TABLE "${name}" AS SELECT * FROM read_csv(` +
		`${quoted(file)}, columns = {${types}}, header = true, ` +
		`quote = '"', escape = '"', nullstr = '\\N')`);
}
for (const view of job.views)
	await duck.run(view);
const answers = [];
for (const question of job.questions)
	answers.push((await duck.runAndReadAll(question)).getRows()
		.map(row => row.map(value => value === null ? null : String(value))));
console.log(JSON.stringify(answers));
