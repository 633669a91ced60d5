namespace NumaSharp.Tool.Run;

/// <summary>The output of --dry-run.</summary>
internal static class RunPlanText
{
    public static void Write(TextWriter output, IReadOnlyList<NodeProcess> nodes, NodeCommand command)
    {
        foreach (var node in nodes)
        {
            output.WriteLine(
                $"node {node.NodeId}: CPUs {node.Cpus}, memory of node {node.MemoryNodeId} "
                + (node.Policy == NodeMemoryPolicy.Strict ? "and no other" : "first"));
            foreach (var (name, value) in node.Environment.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
            {
                output.WriteLine($"  {name}={value}");
            }

            output.WriteLine($"  {command.Path} {string.Join(' ', command.Arguments.Skip(1).Select(Quote))}".TrimEnd());
        }
    }

    // For pasting into a shell.
    private static string Quote(string argument) =>
        argument.Length > 0 && argument.All(IsPlain)
            ? argument
            : $"'{argument.Replace("'", "'\\''", StringComparison.Ordinal)}'";

    private static bool IsPlain(char c) =>
        char.IsAsciiLetterOrDigit(c) || "-_./:=,+@%".Contains(c, StringComparison.Ordinal);
}
