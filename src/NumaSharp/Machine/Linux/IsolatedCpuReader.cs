namespace NumaSharp.Core.Linux;

/// <summary>
/// Finds the CPUs that boot parameters keep from the scheduler's balancing (Documentation/admin-guide/kernel-parameters.txt,
/// "isolcpus").
/// </summary>
internal sealed class IsolatedCpuReader(MachineFiles files, TopologyWarnings warnings)
{
    private const string Nothing = "it isolates no CPU";

    public CpuSet Read()
    {
        // Since Linux 4.2; empty when there are none.
        var isolated = files.Sysfs.Read($"{OnlineCpuReader.Folder}/isolated");
        if (isolated.Succeeded && KernelText.TryParseList(isolated.Text, out var cpus))
        {
            return cpus;
        }

        warnings.AddUnlessMissing(isolated, "isolcpus= of the command line is used, if any");
        var commandLine = files.Proc.Read("cmdline");
        if (!commandLine.Succeeded)
        {
            warnings.AddUnlessMissing(commandLine, Nothing);
            return CpuSet.Empty;
        }

        if (!KernelCommandLine.TryParseIsolatedCpus(commandLine.Text, out cpus))
        {
            warnings.Add($"{commandLine.Path}: isolcpus= is not a list of CPUs; {Nothing}.");
        }

        return cpus ?? CpuSet.Empty;
    }
}

/// <summary>Reads the parameters that a kernel was booted with (Documentation/admin-guide/kernel-parameters.rst).</summary>
internal static class KernelCommandLine
{
    private const string Isolcpus = "isolcpus=";

    /// <summary>
    /// Reads <c>isolcpus=[flag,...]list</c>. Without flags it isolates from the scheduler's domains, with flags only if
    /// <c>domain</c> is among them: <c>nohz</c> and <c>managed_irq</c> leave the balancing alone.
    /// </summary>
    /// <returns>Whether there is no such parameter, or it is well-formed.</returns>
    public static bool TryParseIsolatedCpus(ReadOnlySpan<char> text, out CpuSet? cpus)
    {
        cpus = CpuSet.Empty;
        foreach (var range in text.SplitAny(' ', '\t', '\n'))
        {
            var word = text[range].Trim('"');
            if (word is "--")
            {
                break;
            }

            // Of several, kernels that need this file (before 4.2) obey the last.
            if (word.StartsWith(Isolcpus, StringComparison.Ordinal)
                && !TryParseValue(word[Isolcpus.Length..].Trim('"'), out cpus))
            {
                return false;
            }
        }

        return true;
    }

    private static bool TryParseValue(ReadOnlySpan<char> value, out CpuSet? cpus)
    {
        var hasFlags = false;
        var hasDomain = false;
        while (value is [>= 'a' and <= 'z', ..] && value.IndexOf(',') is >= 0 and var comma)
        {
            hasFlags = true;
            hasDomain |= value[..comma] is "domain";
            value = value[(comma + 1)..];
        }

        var isList = CpuSet.TryParseList(value, out cpus);
        cpus = hasFlags && !hasDomain ? CpuSet.Empty : cpus;
        return isList;
    }
}
