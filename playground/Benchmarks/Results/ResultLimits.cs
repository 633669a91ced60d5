using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>What results do not show, as far as they say so themselves; in Markdown.</summary>
internal static class ResultLimits
{
    private const int FewCpus = 2;
    private const string Quick = "--quick";

    public static IEnumerable<string> Of(ResultSet results)
    {
        MachineDescription[] machines = [.. results.Measured.Select(static kind => kind.Result.Machine)];
        return
        [
            .. OfNodes(machines),
            .. OfCpus(machines),
            .. OfHypervisor(machines),
            .. OfNetwork(results),
            .. OfLengths(results),
            .. OfMachines(machines),
            .. results.NotMeasured.Select(static kind =>
                $"`{kind.Kind}`, which was not measured: {MarkdownText.Plain(kind.Reason)}."),
            .. from kind in results.Measured
               from note in kind.Result.Machine.Notes
               select $"`{kind.Kind}`: {MarkdownText.Plain(note)}.",
        ];
    }

    private static IEnumerable<string> OfNodes(MachineDescription[] machines)
    {
        if (machines.Any(static machine => machine.Nodes == 1))
        {
            yield return "Several NUMA nodes, and no machine with two sockets: there is one node. No row shows what placement is "
                + "worth; the rows show what transport, memory and schedulers are worth without it.";
        }

        if (machines.Any(static machine => machine.Nodes is null))
        {
            yield return "How many NUMA nodes there are: not every result says so.";
        }
    }

    private static IEnumerable<string> OfCpus(MachineDescription[] machines)
    {
        if (machines.Any(static machine => machine.Cores <= FewCpus))
        {
            yield return "More than two CPUs: a server and its load share a machine with two, and with it the caches, the memory "
                + "and the kernel. Work that needs many threads at once is in no row.";
        }

        yield return "A server on many CPUs: `http` and `udp` give the server one CPU and the load another one (rows `unpinned`: "
            + "all CPUs for both), `memory` and `pool` have a thread or two. `scheduler` has as many workers as CPUs.";
    }

    private static IEnumerable<string> OfHypervisor(MachineDescription[] machines)
    {
        if (machines.Any(static machine => machine.IsVirtual == true))
        {
            yield return "Bare metal: it is a virtual machine. Others on its host take CPU time, caches and memory bandwidth. "
                + "Its nodes are those that the hypervisor shows.";
        }

        if (machines.Any(static machine => machine.IsVirtual is null))
        {
            yield return "Whether it is a virtual machine: not every result says so.";
        }
    }

    private static IEnumerable<string> OfNetwork(ResultSet results)
    {
        if (results.Measured.Any(static kind => kind.Kind is BenchmarkKinds.Http or BenchmarkKinds.Udp or BenchmarkKinds.Stop))
        {
            yield return "A network: client and server talk over loopback, or over two virtual devices (`veth`). No network card "
                + "is in it, nor its interrupts, nor its queues.";
        }
    }

    private static IEnumerable<string> OfLengths(ResultSet results)
    {
        string[] quick =
        [
            .. from kind in results.Measured
               where kind.Result.Machine.Command?.Split(' ').Contains(Quick, StringComparer.Ordinal) == true
               select $"`{kind.Kind}`",
        ];
        if (quick.Length > 0)
        {
            yield return $"Runs of full length: `{Quick}` has more chance in it. That is {string.Join(", ", quick)}.";
        }
    }

    private static IEnumerable<string> OfMachines(MachineDescription[] machines)
    {
        if (machines.DistinctBy(static machine => (machine.Cpu, machine.Cores, machine.Kernel, machine.Runtime)).Skip(1).Any())
        {
            yield return "One machine with one runtime: not all kinds were measured on the same.";
        }
    }
}
