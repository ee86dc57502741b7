tench
goldfish
