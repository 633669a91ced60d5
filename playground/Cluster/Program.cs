using System.CommandLine;
using System.Globalization;
using NumaSharp.Playground.Cluster;

// A simulation (README.md): the cost of a plan on machines of 2 to 64 nodes, and how many CPUs stay free
// when the kubelet gives every pod those of one node.
var pods = new Option<int>("--pods") { Description = "How many pods.", DefaultValueFactory = static _ => 1000 };
var cpus = new Option<int>("--cpus") { Description = "How many CPUs a node has.", DefaultValueFactory = static _ => 16 };
var nodes = new Option<int[]>("--nodes")
{
    Description = "How many nodes a machine has; several are several clusters.",
    AllowMultipleArgumentsPerToken = true,
    DefaultValueFactory = static _ => [2, 4, 8, 64],
};
foreach (var option in (Option<int>[])[pods, cpus])
{
    option.Validators.Add(result =>
    {
        if (result.GetValueOrDefault<int>() is < 1 or > 100_000)
        {
            result.AddError($"{option.Name} must be from 1 to 100000.");
        }
    });
}

nodes.Validators.Add(static result =>
{
    if (result.GetValueOrDefault<int[]>() is not { Length: > 0 } counts || counts.Any(static count => count is < 1 or > 1024))
    {
        result.AddError("--nodes must be from 1 to 1024.");
    }
});
var root = new RootCommand("What a plan costs in a cluster of machines with several nodes.") { pods, cpus, nodes };
root.SetAction(async (parsed, cancellation) =>
{
    var output = parsed.InvocationConfiguration.Output;
    var (count, size) = (parsed.GetValue(pods), parsed.GetValue(cpus));
    MachineShape[] shapes = [.. parsed.GetRequiredValue(nodes).Select(number => new MachineShape(number, size))];
    await output.WriteLineAsync(
        "| nodes | CPUs | read ms | plan ms | plan KiB | start ms | workers ms | stop ms | threads | MiB |");
    await output.WriteLineAsync("|---|---|---|---|---|---|---|---|---|---|");
    foreach (var shape in shapes)
    {
        var cost = PlanCost.Of(shape.ToOptions());
        var start = await StartCost.OfAsync(shape.ToOptions(), cancellation);
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture,
            $"| {shape.Nodes} | {shape.Nodes * size} | {cost.Read.TotalMilliseconds:0.000} | {cost.Plan.TotalMilliseconds:0.000} "
            + $"| {cost.PlanBytes / 1024} | {start.Start.TotalMilliseconds:0} | {start.Workers.TotalMilliseconds:0} "
            + $"| {start.Stop.TotalMilliseconds:0} | {start.Threads} | {start.ResidentBytes >> 20} |"));
    }

    await output.WriteLineAsync();
    await output.WriteLineAsync(
        "| nodes | policy | machines | pods | refused | on several nodes | CPUs free | plan of a pod ms |");
    await output.WriteLineAsync("|---|---|---|---|---|---|---|---|");
    foreach (var shape in shapes)
    {
        foreach (var mustBeOneNode in (bool[])[true, false])
        {
            var placement = PodPlacement.Of(shape, PodSizes.Take(count), mustBeOneNode);
            var times = placement.Pods.Select(pod => PlanCost.Once(shape.ToOptions(pod)).TotalMilliseconds).Order().ToArray();
            await output.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"| {shape.Nodes} | {(mustBeOneNode ? "single-numa-node" : "best-effort")} | {placement.Machines} "
                + $"| {placement.Pods.Count} | {placement.Refused} | {placement.Spanning} | {placement.FreeShare:P1} "
                + $"| {times[times.Length / 2]:0.000} |"));
        }
    }
});
var invocation = root.Parse(args);
foreach (var error in invocation.Errors)
{
    await Console.Error.WriteLineAsync(error.Message);
}

return invocation.Errors.Count > 0 ? 2 : await invocation.InvokeAsync();
