/** Rules for the tables whenever no transaction is open and no release is left. Each query returns the rows that break a rule. */
export const endRules: Readonly<Record<string, string>> = {
  "a stopped chain has started all that it has on record": `select f.id from S.compensation c join S.job f on f.id = c.chain_id
    where f.chain_status > 1 and c.follower is null`,
  "a chain that has not stopped has started nothing": `select f.id from S.compensation c join S.job f on f.id = c.chain_id
    where f.chain_status < 2 and c.follower is not null`,
  "a completed chain has nothing on record": `select f.id from S.compensation c join S.job f on f.id = c.chain_id
    where f.chain_status = 1`,
  "a record has its chain":
    "select c.chain_id from S.compensation c left join S.job f on f.id = c.chain_id where f.id is null",
  "the open job of a chain says that it has something on record": `select o.job_id from S.open_job o
    where o.on_end is null and (exists (select from S.compensation c where c.chain_id = o.chain_id)
      or exists (select from S.deadline d where d.chain_id = o.chain_id))`,
  "a deadline has its active chain": `select d.chain_id from S.deadline d
    left join S.job f on f.id = d.chain_id and f.chain_status = 0 where f.id is null`,
  "nothing is left to pass": "select b.chain_id from S.blocker b where b.passes",
  "no effect is undone twice": `select min(u.input) from S.job u where u.type_name = 'undo' and u.chain_status in (0, 1)
    group by u.input having count(*) > 1`,
};
