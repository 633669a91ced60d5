namespace NumaSharp.Core.Topology;

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
