using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Settings;

/// <summary>Changes by code to the machine that the configuration declares.</summary>
internal sealed record MachineSetup(Action<SimulatedMachineOptions> Configure)
{
    /// <exception cref="NumaSettingException">The section is wrong, or its declaration contradicts itself.</exception>
    public static SimulatedMachine CreateMachine(NumaPluginSettings? settings, IEnumerable<MachineSetup> setups)
    {
        settings ??= new NumaPluginSettings(SimulatedMachine.ProviderName, []);
        var options = MachineSettings.Read(settings);
        foreach (var setup in setups)
        {
            setup.Configure(options);
        }

        if (options.Nodes.Count == 0)
        {
            options.UseNodesOf(SimulatedMachines.TwoSockets());
        }

        try
        {
            return new SimulatedMachine(options);
        }
        catch (NumaException exception)
        {
            var nodes = settings.Values.Where(static pair => pair.Key.EndsWith(":Cpus", StringComparison.OrdinalIgnoreCase))
                .OrderBy(static pair => pair.Key, StringComparer.OrdinalIgnoreCase)
                .Select(static pair => pair.Value);
            throw new NumaSettingException(
                [new NumaSettingProblem(settings.Section, string.Join("; ", nodes), exception.Message.TrimEnd('.'))]);
        }
    }
}
