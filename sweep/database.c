/*
 * The results of a sweep as an SQLite database.
 *
 * One process writes it, once, into a file of its own that nobody else knows: so it needs neither
 * journal nor locks.
 */
#include "sweep/result.h"

#include "base/alloc.h"
#include "documents/csv.h"
#include "documents/intact.h"
#include "documents/statistics/components.h"
#include "documents/statistics/histogram.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char schema[] =
    "PRAGMA journal_mode = OFF;"
    "PRAGMA synchronous = OFF;"
    "CREATE TABLE runs (point TEXT PRIMARY KEY, reason TEXT, exit_code INTEGER, ticks INTEGER,"
    " instructions INTEGER, result_hash TEXT, digest TEXT, seconds REAL,"
    " peak_memory_bytes INTEGER);"
    "CREATE TABLE parameters (point TEXT, key TEXT, value, text TEXT,"
    " PRIMARY KEY (point, key));"
    "CREATE TABLE statistics (point TEXT, region TEXT, component TEXT, stat TEXT, value,"
    " unit TEXT);"
    "CREATE TABLE histograms (point TEXT, source TEXT, region TEXT, component TEXT, bin TEXT, lo,"
    " hi, count INTEGER, unit TEXT);"
    "BEGIN;";

static const char end_of_writing[] =
    "CREATE INDEX statistics_by_stat ON statistics (stat, component, region);"
    "COMMIT;";

struct writer {
    sqlite3 *db;
    sqlite3_stmt *run, *parameter, *statistic, *histogram;
    unsigned cards; /* of a station of the point */
    bool failed;
    char bad[4200]; /* a file that could not be read; "": none */
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void database_check(struct writer *w, int result)
{
    w->failed = w->failed || (result != SQLITE_OK && result != SQLITE_DONE);
}

static sqlite3_stmt *database_prepare(struct writer *w, const char *text)
{
    sqlite3_stmt *statement = NULL;
    database_check(w, sqlite3_prepare_v2(w->db, text, -1, &statement, NULL));
    return statement;
}

static void database_put_text(struct writer *w, sqlite3_stmt *row, int column, const char *text)
{
    database_check(w, sqlite3_bind_text(row, column, text, -1, SQLITE_TRANSIENT));
}

/** A number as a number, exactly where it is whole; nothing as NULL; the rest as text. */
static void database_put_value(struct writer *w, sqlite3_stmt *row, int column, const char *text)
{
    char *end;
    const long long whole = strtoll(text, &end, 10);
    if (!*text) {
        database_check(w, sqlite3_bind_null(row, column));
    } else if (!*end && strlen(text) < 19) {
        database_check(w, sqlite3_bind_int64(row, column, whole));
    } else {
        const double real = strtod(text, &end);
        if (*end)
            database_put_text(w, row, column, text);
        else
            database_check(w, sqlite3_bind_double(row, column, real));
    }
}

static void database_put_row(struct writer *w, sqlite3_stmt *row)
{
    database_check(w, sqlite3_step(row));
    database_check(w, sqlite3_reset(row));
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_member(struct writer *w, int column, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_string(value))
        database_put_text(w, w->run, column, json_string_value(value));
    else if (json_is_integer(value))
        database_check(w, sqlite3_bind_int64(w->run, column, json_integer_value(value)));
    else if (json_is_real(value))
        database_check(w, sqlite3_bind_double(w->run, column, json_real_value(value)));
    else
        database_check(w, sqlite3_bind_null(w->run, column));
}

static void database_put_run(struct writer *w, const struct swp_row *row)
{
    json_t *root = doc_document(row->directory, "manifest.json");
    const json_t *end = json_object_get(root, "end"), *host = json_object_get(root, "host");
    database_put_text(w, w->run, 1, row->id);
    put_member(w, 2, end, "reason");
    put_member(w, 3, end, "exit_code");
    put_member(w, 4, end, "ticks");
    put_member(w, 5, end, "instructions");
    put_member(w, 6, end, "result_hash");
    put_member(w, 7, root, "digest");
    put_member(w, 8, host, "seconds");
    put_member(w, 9, host, "peak_memory_bytes");
    database_put_row(w, w->run);
    json_decref(root);
}

static void put_parameters(struct writer *w, const struct swp_result *result,
                           const struct swp_row *row)
{
    for (size_t k = 0; k < result->keys; k++) {
        database_put_text(w, w->parameter, 1, row->id);
        database_put_text(w, w->parameter, 2, result->key[k]);
        if (row->number[k])
            database_put_value(w, w->parameter, 3, row->number[k]);
        else
            database_put_text(w, w->parameter, 3, row->text[k]);
        database_put_text(w, w->parameter, 4, row->text[k]);
        database_put_row(w, w->parameter);
    }
}

/** A file of a point that is read. */
struct point_table {
    char *path;
    struct doc_csv csv;
};

/** Opens one. @param columns  that it has at least
 *  @return false: it is not there, or w->bad says what is wrong with it; close_table is due */
static bool open_table(struct writer *w, struct point_table *t, const struct swp_row *row,
                       const char *name, unsigned columns)
{
    *t = (struct point_table){.path = sim_format("%s/%s", row->directory, name)};
    if (*w->bad || access(t->path, F_OK) || !doc_csv_open(&t->csv, t->path, w->bad, sizeof w->bad))
        return false;
    return t->csv.columns >= columns || doc_csv_refuse(&t->csv, "it has too few columns");
}

static void close_table(struct point_table *t)
{
    doc_csv_close(&t->csv);
    free(t->path);
}

/** Statistics name each card by its station; other files of the run number them all. */
static void count_card(struct writer *w, const char *component)
{
    unsigned station, card;
    if (sscanf(component, "machine.station[%u].card[%u]", &station, &card) == 2 && card >= w->cards)
        w->cards = card + 1;
}

static void put_statistics(struct writer *w, const struct swp_row *row)
{
    w->cards = 0;
    struct point_table t;
    const bool there = open_table(w, &t, row, "stats.csv", 5);
    while (there && doc_csv_next(&t.csv)) {
        char *const *field = t.csv.field;
        count_card(w, field[1]);
        database_put_text(w, w->statistic, 1, row->id);
        database_put_text(w, w->statistic, 2, field[0]);
        database_put_text(w, w->statistic, 3, field[1]);
        database_put_text(w, w->statistic, 4, field[2]);
        database_put_value(w, w->statistic, 5, field[3]);
        database_put_text(w, w->statistic, 6, field[4]);
        database_put_row(w, w->statistic);
    }
    close_table(&t);
}

/** Words of the cards' memories of counters; the statistics have been put. */
static void put_bins(struct writer *w, const struct swp_row *row)
{
    struct point_table t;
    const bool there = open_table(w, &t, row, DOC_BINS, 6);
    while (there && doc_csv_next(&t.csv)) {
        char *const *field = t.csv.field;
        const unsigned long number = strtoul(field[0], NULL, 10), cards = w->cards ? w->cards : 1;
        char *card = sim_format("machine.station[%lu].card[%lu]", number / cards, number % cards);
        database_put_text(w, w->histogram, 1, row->id);
        database_put_text(w, w->histogram, 2, "card");
        database_put_text(w, w->histogram, 3, "whole");
        database_put_text(w, w->histogram, 4, card);
        database_put_text(w, w->histogram, 5, field[1]);
        database_put_value(w, w->histogram, 6, field[2]);
        database_put_value(w, w->histogram, 7, field[3]);
        database_put_value(w, w->histogram, 8, field[4]);
        database_put_text(w, w->histogram, 9, field[5]);
        database_put_row(w, w->histogram);
        free(card);
    }
    close_table(&t);
}

/** What memories and network caches did, by state, lock and transaction. */
static void put_coherence(struct writer *w, const struct swp_row *row)
{
    struct point_table t;
    const bool there = open_table(w, &t, row, DOC_HISTOGRAM, 7);
    while (there && doc_csv_next(&t.csv)) {
        char *const *field = t.csv.field;
        char *agent = sim_format("machine.station[%s].%s", field[2], field[1]);
        char *bin = sim_format("%s/%s/%s", field[3], field[4], field[5]);
        database_put_text(w, w->histogram, 1, row->id);
        database_put_text(w, w->histogram, 2, "coherence");
        database_put_text(w, w->histogram, 3, field[0]);
        database_put_text(w, w->histogram, 4, agent);
        database_put_text(w, w->histogram, 5, bin);
        database_put_value(w, w->histogram, 6, "");
        database_put_value(w, w->histogram, 7, "");
        database_put_value(w, w->histogram, 8, field[6]);
        database_put_text(w, w->histogram, 9, "transactions");
        database_put_row(w, w->histogram);
        free(agent);
        free(bin);
    }
    close_table(&t);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void prepare_all(struct writer *w)
{
    w->run = database_prepare(w, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    w->parameter = database_prepare(w, "INSERT INTO parameters VALUES (?, ?, ?, ?)");
    w->statistic = database_prepare(w, "INSERT INTO statistics VALUES (?, ?, ?, ?, ?, ?)");
    w->histogram = database_prepare(w, "INSERT INTO histograms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
}

static void finalize_all(struct writer *w)
{
    sqlite3_finalize(w->run);
    sqlite3_finalize(w->parameter);
    sqlite3_finalize(w->statistic);
    sqlite3_finalize(w->histogram);
}

/** SQLite may take a name that begins with "file:" apart; one that begins with a dot it never does.
 */
static int open_file(const char *path, sqlite3 **db)
{
    char *plain = sim_format("%s%s", *path == '/' ? "" : "./", path);
    const int result = sqlite3_open_v2(plain, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    free(plain);
    return result;
}

bool swp_database_write(const struct swp_result *result, const char *path, char *why, size_t size)
{
    struct writer w = {0};
    database_check(&w, open_file(path, &w.db));
    if (!w.failed)
        database_check(&w, sqlite3_exec(w.db, schema, NULL, NULL, NULL));
    if (!w.failed)
        prepare_all(&w);
    for (size_t i = 0; i < result->rows && !w.failed && !*w.bad; i++) {
        const struct swp_row *row = &result->row[i];
        if (!row->directory)
            continue;
        database_put_run(&w, row);
        put_parameters(&w, result, row);
        put_statistics(&w, row);
        put_bins(&w, row);
        put_coherence(&w, row);
    }
    if (!w.failed)
        database_check(&w, sqlite3_exec(w.db, end_of_writing, NULL, NULL, NULL));
    if (w.failed)
        snprintf(why, size, "cannot write '%s': %s", path, sqlite3_errmsg(w.db));
    else if (*w.bad)
        snprintf(why, size, "%s", w.bad);
    finalize_all(&w);
    sqlite3_close(w.db);
    return !w.failed && !*w.bad;
}
